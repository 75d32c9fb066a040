// Lines of the log and of the progress.
#pragma once

#include <cstdio>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "train/checkpoint/write.h"
#include "train/journal/history.h"
#include "train/journal/layer_rows.h"
#include "train/network/model.h"
#include "train/run/stepper.h"
#include "train/score/evaluate.h"

namespace edgetwin::train {

template <class... Values>
std::string format_line(const char* format, Values... values) {
  char line[256];
  std::snprintf(line, sizeof line, format, values...);
  return line;
}

struct StepPlace {
  int epoch;
  size_t step, total;  // within the epoch
};
// "Epoch: [0][   10/  235]    Overall Loss 2.1 …", of the epoch so far.
std::string step_line(const StepPlace& place, const EpochRow& row, double objective_loss,
                      bool detects);

// Epoch, loss, share of right answers, items per second, seconds left: the bar has 40 places.
std::string progress_line(int epoch, int epochs, size_t items, const StepSums& sums, double rate,
                          double seconds_left);

// Of equal scores the later epoch is the better one.
bool is_better(const EpochRow& row, const Progress& best);
// "==> Best [Top1: 98.100   Params: 71148 on epoch: 4]"
std::string best_text(const Progress& best, const Evaluation& judged, Model& model);

// True and predicted classes in rows and columns.
std::string confusion_lines(const std::vector<std::vector<int64_t>>& confusion);

// What is unusual in these rows of one epoch: a warning a line. `changes`: how often each row's
// shift changed in the epoch.
std::vector<std::string> layer_warnings(const std::vector<LayerRow>& rows,
                                        const std::vector<int>& changes);
// Those that a log has already.
std::set<std::string> layer_warnings_in(std::string_view log);

}  // namespace edgetwin::train

// The epochs of a run as rows: history.csv and the log, written and taken up again.
// Specification: training, 13.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace edgetwin::train {

struct EpochRow {
  int epoch = 0;
  bool quantized = false;
  double rate = 0, train_loss = 0, validation_loss = 0;
  std::optional<double> train_top1, validation_top1;  // of classes
  std::optional<double> validation_top5;              // of more than five classes
  std::optional<double> train_top5;                   // the same; not in history.csv
  std::optional<double> validation_map;               // of detectors: mAP in percent
  double seconds = 0;                                 // of the training steps, by the clock
  double items_per_second = 0;
};

std::string history_text(const std::vector<EpochRow>& rows);
// Error: train_data_file with the line that is none of these rows.
Result<std::vector<EpochRow>> parse_history(std::string_view text, const std::string& file);

// The part of a log that a run has written at the end of this epoch.
std::string log_until(std::string_view log, int epoch);

}  // namespace edgetwin::train

// How the learning rate changes from epoch to epoch. Specification: training, 7.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <string_view>
#include <vector>

namespace edgetwin::train {

enum class SchedulerKind : uint8_t {
#define SCHEDULER(name, class_name) name,
#include "train/optim/schedulers.def"
#undef SCHEDULER
};

std::string_view class_name(SchedulerKind kind);
std::optional<SchedulerKind> scheduler_kind(std::string_view class_name);

// One scheduler with its arguments; those of other kinds are not used.
struct Scheduler {
  SchedulerKind kind = SchedulerKind::multi_step;
  std::vector<int> milestones;
  std::vector<double> gammas;  // of multi_gamma: one per milestone
  double gamma = 0.1;
  int step_size = 1;
  int t_max = 1;
  double eta_min = 0;
  double exponent = 1;  // of polynomial
  // --- plateau
  double factor = 0.1, threshold = 1e-4;
  int patience = 10;
  bool largest = false;  // the watched number shall grow
};

// When it advances: at the end of each epoch in range(starting, ending, frequency).
struct SchedulePolicy {
  Scheduler scheduler;
  int starting_epoch = 0;
  int ending_epoch = std::numeric_limits<int>::max();
  int frequency = 1;
  std::vector<int> epochs;  // instead of the range, where not empty

  // Scheduler steps at the end of epochs 0 .. epoch - 1.
  int steps_before(int epoch) const;
};

// The rate after `steps` scheduler steps. `losses`: the watched number of each of these steps,
// which only `plateau` reads.
double rate_after(const Scheduler& scheduler, double base, int steps,
                  const std::vector<double>& losses = {});

}  // namespace edgetwin::train

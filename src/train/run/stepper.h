// One step of training: a batch forward and backward, the optimizer.
#pragma once

#include "train/optim/optimizer.h"
#include "train/run/setup.h"

namespace edgetwin::train {

// Sums over the items of an epoch.
struct StepSums {
  double overall = 0, objective = 0;
  int64_t right = 0, judged = 0;
};

struct Stepper {
  const RunSettings& settings;
  Setup& setup;
  Optimizer& optimizer;
  ThreadPool& pool;
  int epoch;

  // `part`: indices of the training items. Errors: train_not_finite, train_shift.
  Status step(size_t number, std::span<const uint32_t> part, StepSums& sums);

 private:
  Status check_shifts(const Recording& recording) const;
  Error not_finite(size_t number, const Recording& recording) const;
};

}  // namespace edgetwin::train

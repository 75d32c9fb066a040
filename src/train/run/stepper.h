// One step of training: a batch forward and backward, the optimizer.
#pragma once

#include "train/optim/optimizer.h"
#include "train/run/setup.h"

namespace edgetwin::train {

// Sums over the items of an epoch.
struct StepSums {
  double overall = 0, objective = 0;
  // Classes that were judged; where they were the largest output, or among five.
  struct Classes {
    int64_t judged = 0, right = 0, among_five = 0;
  };
  Classes all, last;      // `last`: of the last batch alone
  bool has_five = false;  // there are more than five classes
};

struct Stepper {
  const RunSettings& settings;
  Setup& setup;
  Optimizer& optimizer;
  ThreadPool& pool;
  int epoch;
  // Of each layer: the shift of the last step, and how often it changed.
  std::vector<int> shifts = {}, changes = {};

  // `part`: indices of the training items. Errors: train_not_finite, train_shift.
  Status step(size_t number, std::span<const uint32_t> part, StepSums& sums);

 private:
  Status check_shifts(size_t number, const Recording& recording);
  void count_changes(const Recording& recording);
  Status check_gradients(size_t number, const Recording& recording,
                         const std::vector<LayerGradients>& gradients) const;
  std::vector<std::string> numbers_of(size_t layer, const Recording& recording) const;
  Error not_finite(size_t number, const Recording& recording) const;
};

}  // namespace edgetwin::train

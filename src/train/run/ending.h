// The end of a run: test items with the best parameters, integers, the comparison with the twin.
// Specification: training, 13, 15.
#pragma once

#include "train/run/run_folder.h"
#include "train/run/setup.h"
#include "train/run/twin.h"

namespace edgetwin::train {

struct Ending {
  const RunSettings& settings;
  Setup& setup;  // with the best parameters
  ThreadPool& pool;
  RunFolder& folder;
  std::function<void(const std::string&)> log;

  Status run(Evaluation& test, std::optional<TwinComparison>& twin);

 private:
  Status write_confusion(const Evaluation& test);
  Status write_sample();
};

// Of each layer with weights: shift, largest magnitude, share of saturated weights.
std::string quantization_text(const Model& model);

}  // namespace edgetwin::train

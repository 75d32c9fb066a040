// A whole training run: epochs, checkpoints, log, the comparison with the twin at the end.
// Specification: training, 8, 13, 15.
#pragma once

#include "train/journal/history.h"
#include "train/run/twin.h"
#include "train/score/evaluate.h"
#include "train/settings/settings.h"

namespace edgetwin::train {

struct RunResult {
  std::vector<EpochRow> epochs;
  int best_epoch = 0;
  Evaluation test;                     // with the best parameters
  std::optional<TwinComparison> twin;  // of a run that ended with quantization
  std::vector<std::string> files;      // written, in the run's folder
  bool interrupted = false;            // it was asked to stop; test and twin are missing
};

// Trains and writes into settings.output, which exists: checkpoints after each epoch, history.csv,
// train.log, confusion.csv, TensorBoard's events, the quantized checkpoint. Errors: those of
// set_up, train_not_finite, train_shift, train_twin, file_write; resuming: train_checkpoint and its
// like.
Result<RunResult> train_network(const RunSettings& settings);

}  // namespace edgetwin::train

// A model and its optimizer as a checkpoint that the vendor's loader and training program read.
// Specification: training, 12.
#pragma once

#include <string>

#include "formats/torch/checkpoint.h"
#include "train/network/model.h"
#include "train/optim/optimizer.h"

namespace edgetwin::train {

// What a checkpoint states besides parameters and optimizer.
struct Progress {
  int epoch = 0;  // the finished one, from 0
  double current_top1 = 0, best_top1 = 0, best_top5 = 0;
  double best_loss = 0;
  double current_map = 0, best_map = 0;  // of detectors
  int best_epoch = 0;
  uint64_t seed = 0;
  std::string normalisation;             // of the data; empty: not stated
  std::optional<bool> average_rounding;  // of means; empty: not stated, or there are none
  int scheduler_steps = 0;               // after this epoch
  std::vector<double> losses;  // of the validation, one per epoch; a schedule may watch them
  std::optional<double> initial_rate;  // with a schedule
};

// Entries in the order that the vendor's program writes. `model` is not changed.
torch::Checkpoint checkpoint_of(Model& model, const Optimizer& optimizer, const Progress& progress);

// The optimizer's state from a checkpoint, by the indices of this model's parameters; and what else
// it states. Errors: train_checkpoint_entry, train_checkpoint_shape (another optimizer, sizes).
Result<Progress> load_progress(const torch::Checkpoint& checkpoint, Model& model,
                               Optimizer& optimizer);

}  // namespace edgetwin::train

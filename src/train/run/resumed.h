// What a run takes up from a checkpoint and the files beside it. Specification: training, 12.
#pragma once

#include "train/checkpoint/write.h"
#include "train/journal/history.h"
#include "train/journal/layer_rows.h"
#include "train/run/setup.h"

namespace edgetwin::train {

struct Resumed {
  Progress progress;
  int first_epoch = 0;           // that is still to be trained
  std::vector<EpochRow> epochs;  // before it, where history and log stand beside the checkpoint
  std::vector<LayerRow> layers;
  std::string log;
};

// Sets parameters and the optimizer's state. Errors: those of the checkpoint; train_data_file.
Result<Resumed> take_up(const RunSettings& settings, Setup& setup, Optimizer& optimizer);

}  // namespace edgetwin::train

// The beginning of a run: description, data, model, and the rules of the chip before the first
// step.
#pragma once

#include "train/data/data.h"
#include "train/network/model.h"
#include "train/run/settings.h"

namespace edgetwin::train {

struct Setup {
  std::string description;  // its text
  ai8x::Network network;
  Data data;
  Model model;
  std::vector<uint32_t> training, validation;  // indices into data.train; `validation` empty: none
};

// Reads the description and the data, makes the model (from `init` where given), and checks the
// rules of the chip. Errors: those of reading, train_shapes, train_channels, train_key,
// train_data_shape, train_label, train_rules.
Result<Setup> set_up(const RunSettings& settings);

}  // namespace edgetwin::train

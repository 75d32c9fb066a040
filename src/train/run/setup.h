// The beginning of a run: description, data, model, and the rules of the chip before the first
// step.
#pragma once

#include <set>
#include <string>

#include "train/data/data.h"
#include "train/network/model.h"
#include "train/score/objective.h"
#include "train/settings/settings.h"

namespace edgetwin::train {

struct Setup {
  std::string description;  // its text
  ai8x::Network network;
  Data data;
  Model model;
  std::vector<uint32_t> training, validation;  // indices into data.train; `validation` empty: none
  Objective objective;
  std::set<std::string> frozen;  // layers whose parameters stay
  std::string summary;           // of the data, for the log
};

// Reads the description and the data, makes the model (from `init` where given), and checks the
// rules of the chip. Errors: those of reading, train_shapes, train_channels, train_key,
// train_data_shape, train_label, train_rules.
Result<Setup> set_up(const RunSettings& settings);

struct Parts {
  std::vector<uint32_t> training, validation;  // indices into data.train
};
// Error: train_conflict where the data have a part of their own and another is asked for.
Result<Parts> parts_of(const RunSettings& settings, const Data& data);

// Description, data and the model of settings.init as it stands there, to be judged. Errors: those
// of reading, of the checkpoint, train_data_shape, train_label.
Result<Setup> open_trained(const RunSettings& settings);

}  // namespace edgetwin::train

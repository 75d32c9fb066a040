// What a run refuses before its first step, beside the rules of the chip (checks.h).
#pragma once

#include "train/checkpoint/read.h"
#include "train/run/setup.h"

namespace edgetwin::train {

// Error: train_data_shape where the items are not what the settings and the first layer state.
Status check_input(const RunSettings& settings, const Setup& setup);
// Errors: train_conflict, train_bits.
Status check_override(const LayerOverride& o, const std::string& name, const Network& network);
// The chip adds 8 - bits to an output_shift of the description. Error: train_shift.
Status check_output_shift(const Network& network, const NetworkLayer& layer,
                          const LayerQuantization& q);
// Error: train_conflict.
Status check_augmentation(const RunSettings& settings, const Setup& setup);

// Rounding of means was asked for: there must be means. Error: train_conflict.
Status check_rounding(const RunSettings& settings, const Network& network);
// Whether the network can be quantized by the method of the settings. Error: train_conflict.
Status check_method(const RunSettings& settings, const Network& network);
// Whether training can go on with a checkpoint. Error: train_checkpoint_method.
Status check_stored_method(const RunSettings& settings, const StoredState& state);
// Whether its parameters can be those of a new run. Error: train_checkpoint_method.
Status check_initial(const RunSettings& settings, const StoredState& state);

}  // namespace edgetwin::train

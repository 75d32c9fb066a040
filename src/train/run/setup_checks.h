// What a run refuses before its first step, beside the rules of the chip (checks.h).
#pragma once

#include "train/run/setup.h"

namespace edgetwin::train {

// Error: train_data_shape where the items are not what the first layer states.
Status check_input(const Setup& setup);
// Errors: train_conflict, train_bits.
Status check_override(const LayerOverride& o, const std::string& name, const Network& network);
// The chip adds 8 - bits to an output_shift of the description. Error: train_shift.
Status check_output_shift(const Network& network, const NetworkLayer& layer,
                          const LayerQuantization& q);
// Error: train_conflict.
Status check_augmentation(const RunSettings& settings, const Setup& setup);

}  // namespace edgetwin::train

// The beginning of quantization in the forward pass. Specification: training, 6.
#pragma once

#include <string>

#include "train/run/setup.h"

namespace edgetwin::train {

// Folds batch norm and makes the model quantized. The text says for each layer shift, saturation
// and outputs at the limits, and how far the outputs of the items that validate are from those
// before.
std::string begin_quantization(Setup& setup, const DataSet& data, std::span<const uint32_t> indices,
                               ThreadPool& pool);

}  // namespace edgetwin::train

// The beginning of quantization in the forward pass. Specification: training, 6.
#pragma once

#include <string>

#include "train/run/setup.h"

namespace edgetwin::train {

// Folds batch norm, finds thresholds where the method has them, and makes the model quantized. The
// text says for each layer shift, saturation
// and outputs at the limits, and how far the outputs of the items that validate are from those
// before.
std::string begin_quantization(Setup& setup, float z_score, const DataSet& data,
                               std::span<const uint32_t> indices, ThreadPool& pool);

// A copy of the model that the quantizer can take: of the method of thresholds in floating point,
// thresholds are found in these items of the training part.
Model ready_model(const Setup& setup, std::span<const uint32_t> indices, float z_score,
                  ThreadPool& pool);

}  // namespace edgetwin::train

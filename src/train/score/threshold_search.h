// The start of quantization by the newer method: one pass over the training items finds the ranges
// of all activations. Specification: training, 6.
#pragma once

#include <span>

#include "train/data/data.h"
#include "train/network/model.h"

namespace edgetwin::train {

inline constexpr float kUsualOutlierScore = 8;

// Folds batch norm, runs the items as they are (not augmented) in evaluation mode without limits,
// sets thresholds and final scales, and makes the model quantized. Values farther than `z_score`
// deviations from the mean are outliers.
void start_with_thresholds(Model& model, const DataSet& data, std::span<const uint32_t> indices,
                           float z_score, ThreadPool& pool);

}  // namespace edgetwin::train

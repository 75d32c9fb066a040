// Weights and biases as the sum of a quantized layer sees them. Specification: training, 2, 3.
#pragma once

#include <span>
#include <vector>

#include "train/layers/layer.h"

namespace edgetwin::train {

// Shift and scale from the current parameters, or from `output_shift` of the description.
WeightScale weight_scale(std::span<const float> weights, std::span<const float> bias,
                         const LayerQuantization& quantization);

// The output shift of the checkpoint for the chip: that of the weights less the activation's
// threshold, within the range of the rule.
int chip_shift(const WeightScale& scale, const LayerQuantization& quantization);

// [-1, 1 - 1/B] hu(value * scale * B) / B with B = 2^(bits - 1).
std::vector<float> quantized(std::span<const float> values, const WeightScale& scale);
// The same times B.
std::vector<int32_t> quantized_integers(std::span<const float> values, const WeightScale& scale);

// Turns the gradient of the quantized values into that of the stored ones: times the scale, and 0
// where the rounded value lies outside of the range.
void quantized_gradient(std::span<const float> values, const WeightScale& scale,
                        std::span<float> gradient);

}  // namespace edgetwin::train

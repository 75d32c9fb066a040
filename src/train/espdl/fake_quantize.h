// Quantization in the forward pass as ESP-DL's training has it: scales are powers of two (or free
// while they are learned), zero points 0. Specification: training, 16.
#pragma once

#include <span>
#include <vector>

#include "numerics/rounding.h"

namespace edgetwin::train {

struct FakeQuantizer {
  int bits = 8;
  numerics::Rounding rounding = numerics::Rounding::half_even;  // half_up on the ESP32-S3
  std::vector<float> scales;                                    // one, or one per channel
  size_t inner = 1;  // elements between two steps along the channel axis
  // The vendor's package passes the whole gradient where scales differ by channel.
  bool upstream_bugs = false;

  float low() const { return -static_cast<float>(int64_t{1} << (bits - 1)); }
  float high() const { return -low() - 1; }
  size_t channel(size_t index) const { return index / inner % scales.size(); }
};

// scale * clamped round(value / scale)
std::vector<float> fake_quantize(std::span<const float> values, const FakeQuantizer& q);
// 0 where the rounded value lies outside of the range.
std::vector<float> fake_quantize_gradient(std::span<const float> values,
                                          std::span<const float> gradient, const FakeQuantizer& q);
// Per scale: sum(gradient * (q - u inside, the limit outside)), before any factor.
std::vector<double> scale_sums(std::span<const float> values, std::span<const float> gradient,
                               const FakeQuantizer& q);

// --- Trained thresholds: scale = 2^round_half_even(log2).
float threshold_scale(float log2_scale);
// ln 2 * scale * scale_sums.
std::vector<float> threshold_gradient(std::span<const float> values,
                                      std::span<const float> gradient, const FakeQuantizer& q);
// factor * mean((a - round a)^2), which draws logarithms to integers, and its gradient.
double threshold_penalty(std::span<const float> log2_scales, double factor);
std::vector<float> threshold_penalty_gradient(std::span<const float> log2_scales, double factor);

// --- Learned steps: scale_sums / sqrt(elements * high).
std::vector<float> step_gradient(std::span<const float> values, std::span<const float> gradient,
                                 const FakeQuantizer& q);

}  // namespace edgetwin::train

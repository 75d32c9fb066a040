// The output shift that quantization-aware training takes from a layer's parameters.
// Specification: training, 4; max7800x-numerics, 10.
#pragma once

#include <span>

namespace edgetwin::train {

enum class QuantileRule : unsigned char {
  ordinary,  // linear interpolation at q * (n - 1), as the quantizer has it
  older,     // that of training code before November 2024, which extrapolates
};

// The q-quantile of the magnitudes of both parts together, 0 without any. q = 1: the largest.
float magnitude_quantile(std::span<const float> weights, std::span<const float> bias, float q,
                         QuantileRule rule);

inline constexpr int kLargestShift = 15;

// -clamp(floor(log2(1 / limit)), -15, 15), each step rounded to binary32: one step above 2^-5 the
// logarithm rounds to 5, although 1 / limit lies below 32.
int shift_of_limit(float limit);

// How the weights of a layer are scaled before rounding.
struct WeightScale {
  int shift = 0;    // of the output
  float scale = 1;  // 2^-shift, of the weights
  int bits = 8;
  float units() const { return static_cast<float>(1 << (bits - 1)); }
};

}  // namespace edgetwin::train

// Statistics of weights in single precision, as the vendor's quantizer takes them.
#pragma once

#include <span>

#include "tensor/shape.h"

namespace edgetwin::max78 {

// The q-quantile with linear interpolation at q * (n - 1) of the magnitudes of both parts together.
// Reorders nothing; `weights` must not be empty.
float magnitude_quantile(std::span<const float> weights, std::span<const float> bias, float q);

// max(|min|, |max|)
float largest_magnitude(std::span<const float> weights);
// The larger magnitude of the means over the first axis of the smallest and of the largest weight.
float mean_magnitude(std::span<const float> weights, const Shape& shape);
// The larger magnitude of mean - n * deviation and mean + n * deviation, each no farther than the
// smallest and the largest weight.
float deviation_magnitude(std::span<const float> weights, float n);

}  // namespace edgetwin::max78

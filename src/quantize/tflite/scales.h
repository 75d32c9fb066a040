// Ranges, scales and zero points of int8 tensors, and numbers on them.
#pragma once

#include <span>
#include <vector>

#include "base/bytes.h"
#include "tensor/quant.h"

namespace edgetwin::quantize {

struct RealRange {
  float low = 0.0F, high = 0.0F;
  void take(const RealRange& other);
};

// The whole int8 range over [low, high] widened to hold 0. A range of nothing but 0 gives scale 1.
Quant asymmetric(const RealRange& range);
// +-127 for the largest magnitude, one scale per index of `axis` (of `channels` with `inner`
// elements after each), or one for all where channels is 1.
Quant symmetric(std::span<const float> weights, int64_t channels, int64_t inner, int axis);

// Nearest, ties away from zero, cut to `low`..127.
Bytes to_int8(std::span<const float> values, const Quant& quant, int64_t channels, int64_t inner,
              int low);
// With scale input * weights of each channel, zero point 0; sets the scales.
Bytes to_bias(std::span<const float> values, const Quant& input, const Quant& weights,
              Quant& quant);

}  // namespace edgetwin::quantize

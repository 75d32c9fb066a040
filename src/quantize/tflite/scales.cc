#include "quantize/tflite/scales.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>

namespace edgetwin::quantize {

void RealRange::take(const RealRange& other) {
  low = std::min(low, other.low);
  high = std::max(high, other.high);
}

Quant asymmetric(const RealRange& range) {
  const float low = std::min(range.low, 0.0F);
  const float high = std::max(range.high, 0.0F);
  const float scale = (high - low) / 255.0F;
  if (scale == 0.0F) return Quant::affine(1.0F, 0);
  const float from_low = -128.0F - low / scale;
  return Quant::affine(scale, std::lround(std::clamp(from_low, -128.0F, 127.0F)));
}

Quant symmetric(std::span<const float> weights, int64_t channels, int64_t inner, int axis) {
  std::vector<float> largest(static_cast<size_t>(channels), 0.0F);
  for (size_t i = 0; i < weights.size(); ++i) {
    float& now = largest[i / static_cast<size_t>(inner) % static_cast<size_t>(channels)];
    now = std::max(now, std::fabs(weights[i]));
  }
  Quant quant;
  quant.scheme = Quant::Scheme::affine;
  quant.axis = axis;
  for (const float m : largest) {
    quant.scale.push_back(m == 0.0F ? 1.0F : m / 127.0F);
    quant.zero_point.push_back(0);
  }
  return quant;
}

Bytes to_int8(std::span<const float> values, const Quant& quant, int64_t channels, int64_t inner,
              int low) {
  Bytes bytes(values.size());
  for (size_t i = 0; i < values.size(); ++i) {
    const size_t c = i / static_cast<size_t>(inner) % static_cast<size_t>(channels);
    const float inverse = 1.0F / quant.scale_of(c);
    const float q = std::round(values[i] * inverse) + static_cast<float>(quant.zero_point_of(c));
    const auto cut = static_cast<int8_t>(std::clamp(q, static_cast<float>(low), 127.0F));
    std::memcpy(bytes.data() + i, &cut, 1);
  }
  return bytes;
}

Bytes to_bias(std::span<const float> values, const Quant& input, const Quant& weights,
              Quant& quant) {
  quant = Quant();
  quant.scheme = Quant::Scheme::affine;
  for (const float w : weights.scale) {
    quant.scale.push_back(input.scale_of(0) * w);
    quant.zero_point.push_back(0);
  }
  constexpr double kLow = std::numeric_limits<int32_t>::min();
  constexpr double kHigh = std::numeric_limits<int32_t>::max();
  Bytes bytes(values.size() * sizeof(int32_t));
  for (size_t i = 0; i < values.size(); ++i) {
    const double q = std::round(static_cast<double>(values[i]) / quant.scale_of(i));
    const auto cut = static_cast<int32_t>(std::clamp(q, kLow, kHigh));
    std::memcpy(bytes.data() + i * sizeof cut, &cut, sizeof cut);
  }
  return bytes;
}

}  // namespace edgetwin::quantize

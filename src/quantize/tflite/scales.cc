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
  const auto stretch = static_cast<size_t>(inner);
  for (size_t at = 0, channel = 0; at < weights.size(); at += stretch) {
    float& now = largest[channel];
    for (const float w : weights.subspan(at, stretch)) now = std::max(now, std::fabs(w));
    if (++channel == largest.size()) channel = 0;
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
  const auto stretch = static_cast<size_t>(inner), count = static_cast<size_t>(channels);
  for (size_t at = 0, channel = 0; at < values.size(); at += stretch) {
    const float inverse = 1.0F / quant.scale_of(channel);
    const auto zero = static_cast<float>(quant.zero_point_of(channel));
    for (size_t i = at; i < std::min(values.size(), at + stretch); ++i) {
      const float q = std::round(values[i] * inverse) + zero;
      bytes[i] = static_cast<std::byte>(
          static_cast<int8_t>(std::clamp(q, static_cast<float>(low), 127.0F)));
    }
    if (++channel == count) channel = 0;
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

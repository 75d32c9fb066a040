#include "train/layers/weights.h"

#include <cmath>

#include "train/layers/stages.h"

namespace edgetwin::train {
namespace {

// In units of 1 / B, before the limits.
float rounded(float value, const WeightScale& scale) {
  return std::floor(value * scale.scale * scale.units() + 0.5F);
}

}  // namespace

WeightScale weight_scale(std::span<const float> weights, std::span<const float> bias,
                         const LayerQuantization& quantization) {
  WeightScale result{.bits = quantization.bits};
  if (quantization.output_shift) {
    result.shift = *quantization.output_shift;
  } else {
    result.shift =
        shift_of_limit(magnitude_quantile(weights, bias, quantization.quantile, quantization.rule));
  }
  result.scale = power_of_two(-result.shift);
  return result;
}

int chip_shift(const WeightScale& scale, const LayerQuantization& quantization) {
  return std::clamp(scale.shift - quantization.threshold, -kLargestShift, kLargestShift);
}

std::vector<float> quantized(std::span<const float> values, const WeightScale& scale) {
  const float units = scale.units();
  std::vector<float> result;
  result.reserve(values.size());
  for (const float v : values) {
    result.push_back(std::clamp(rounded(v, scale), -units, units - 1) / units);
  }
  return result;
}

std::vector<int32_t> quantized_integers(std::span<const float> values, const WeightScale& scale) {
  std::vector<int32_t> result;
  result.reserve(values.size());
  for (const float v : quantized(values, scale)) {
    result.push_back(static_cast<int32_t>(v * scale.units()));
  }
  return result;
}

void quantized_gradient(std::span<const float> values, const WeightScale& scale,
                        std::span<float> gradient) {
  const float units = scale.units();
  for (size_t i = 0; i < values.size(); ++i) {
    const float v = rounded(values[i], scale);
    gradient[i] = v >= -units && v <= units - 1 ? gradient[i] * scale.scale : 0.0F;
  }
}

}  // namespace edgetwin::train

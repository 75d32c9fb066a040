#include <cmath>

#include "train/layers/stages.h"

namespace edgetwin::train {
namespace {

// The limits and the rounding of an output.
struct Limits {
  float low, high;
  float grid;  // 0: not rounded
};

Limits limits_of(const LayerSpec& spec, const Phase& phase) {
  constexpr float kWideGrid = 16384;
  if (spec.wide) return {-kWideLimit, kWideLimit, phase.quantization ? kWideGrid : 0};
  return {kLow, kHigh, phase.quantization ? kGrid : 0};
}

// Calls change(first, last) for ranges of values.
template <class Change>
void for_ranges(const Maps& maps, ThreadPool& pool, const Change& change) {
  for_items(pool, maps.n, [&](int first, int last) {
    change(first * maps.item_size(), last * maps.item_size());
  });
}

}  // namespace

float power_of_two(int exponent) { return std::ldexp(1.0F, exponent); }

float output_scale(const LayerSpec& spec, const Tape& tape) {
  if (!tape.scale || spec.wide) return 1;
  const int exponent = tape.scale->shift - tape.phase.quantization->threshold;
  return power_of_two(std::clamp(exponent, -kLargestShift, kLargestShift));
}

Mask limit(Maps& maps, float low, float high, ThreadPool& pool) {
  Mask mask(maps.values.size());
  for_ranges(maps, pool, [&](int64_t first, int64_t last) {
    float* v = maps.values.data();
    int8_t* m = mask.data();
    for (int64_t i = first; i < last; ++i) {
      m[i] = v[i] >= low && v[i] <= high ? 1 : 0;
      v[i] = std::min(std::max(v[i], low), high);
    }
  });
  return mask;
}

void apply(const Mask& mask, Maps& gradient, ThreadPool& pool) {
  if (mask.empty()) return;
  for_ranges(gradient, pool, [&](int64_t first, int64_t last) {
    float* g = gradient.values.data();
    for (int64_t i = first; i < last; ++i) g[i] *= static_cast<float>(mask[static_cast<size_t>(i)]);
  });
}

Mask output_stage(const LayerSpec& spec, const Phase& phase, float scale, Maps& maps,
                  ThreadPool& pool) {
  const Limits limits = limits_of(spec, phase);
  const ai8x::Activation activation = spec.activation;
  Mask mask(maps.values.size());
  for_ranges(maps, pool, [&](int64_t first, int64_t last) {
    float* values = maps.values.data();
    int8_t* factors = mask.data();
    for (int64_t i = first; i < last; ++i) {
      float v = values[i] * scale;
      int8_t factor = 1;
      if (activation == ai8x::Activation::relu) {
        factor = v > 0 ? 1 : 0;
        v = v > 0 ? v : 0.0F;
      } else if (activation == ai8x::Activation::abs) {
        factor = static_cast<int8_t>((v > 0) - (v < 0));
        v = std::abs(v);
      }
      if (limits.grid != 0) v = std::floor(v * limits.grid + 0.5F) / limits.grid;
      factors[i] = v >= limits.low && v <= limits.high ? factor : int8_t{0};
      values[i] = std::min(std::max(v, limits.low), limits.high);
    }
  });
  return mask;
}

}  // namespace edgetwin::train

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

enum class Rounds : uint8_t { no, to_8_bits, to_wide };

// Scale, activation, rounding and clamp of `count` values; the factors of their gradients.
template <ai8x::Activation kActivation, Rounds kRounds>
void finish_values(float* values, int8_t* factors, int64_t count, float scale, Limits limits) {
  for (int64_t i = 0; i < count; ++i) {
    float v = values[i] * scale;
    int factor = 1;
    if constexpr (kActivation == ai8x::Activation::relu) {
      factor = v > 0 ? 1 : 0;
      v = v > 0 ? v : 0.0F;
    } else if constexpr (kActivation == ai8x::Activation::abs) {
      factor = (v > 0 ? 1 : 0) - (v < 0 ? 1 : 0);
      v = std::abs(v);
    }
    if constexpr (kRounds == Rounds::to_8_bits) {
      v = floor_of_small(v * limits.grid + 0.5F) / limits.grid;
    } else if constexpr (kRounds == Rounds::to_wide) {
      v = std::floor(v * limits.grid + 0.5F) / limits.grid;
    }
    const int within = (v >= limits.low ? 1 : 0) & (v <= limits.high ? 1 : 0);
    factors[i] = static_cast<int8_t>(factor * within);
    values[i] = std::min(std::max(v, limits.low), limits.high);
  }
}

using StageFunction = void (*)(float*, int8_t*, int64_t, float, Limits);

template <Rounds kRounds>
StageFunction stage_with(ai8x::Activation activation) {
  switch (activation) {
    case ai8x::Activation::relu:
      return finish_values<ai8x::Activation::relu, kRounds>;
    case ai8x::Activation::abs:
      return finish_values<ai8x::Activation::abs, kRounds>;
    default:
      return finish_values<ai8x::Activation::none, kRounds>;
  }
}

StageFunction stage_of(ai8x::Activation activation, const Limits& limits) {
  if (limits.grid == kGrid) return stage_with<Rounds::to_8_bits>(activation);
  return limits.grid != 0 ? stage_with<Rounds::to_wide>(activation)
                          : stage_with<Rounds::no>(activation);
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

void apply(const Mask& mask, Maps& gradient, ThreadPool& pool, float factor) {
  if (mask.empty()) return scale(gradient, factor, pool);
  for_ranges(gradient, pool, [&](int64_t first, int64_t last) {
    float* g = gradient.values.data();
    const int8_t* m = mask.data();
    for (int64_t i = first; i < last; ++i) g[i] = g[i] * static_cast<float>(m[i]) * factor;
  });
}

void scale(Maps& maps, float factor, ThreadPool& pool) {
  if (factor == 1) return;
  for_ranges(maps, pool, [&](int64_t first, int64_t last) {
    float* v = maps.values.data();
    for (int64_t i = first; i < last; ++i) v[i] *= factor;
  });
}

Mask output_stage(const LayerSpec& spec, const Phase& phase, float scale, Maps& maps,
                  ThreadPool& pool) {
  const Limits limits = limits_of(spec, phase);
  const StageFunction stage = stage_of(spec.activation, limits);
  Mask mask(maps.values.size());
  for_ranges(maps, pool, [&](int64_t first, int64_t last) {
    stage(maps.values.data() + first, mask.data() + first, last - first, scale, limits);
  });
  return mask;
}

}  // namespace edgetwin::train

#include <cmath>
#include <limits>

#include "train/engine/fast.h"
#include "train/layers/stages.h"
#include "train/layers/weights.h"

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
  if (phase.unlimited) {
    constexpr float kInfinity = std::numeric_limits<float>::infinity();
    return {-kInfinity, kInfinity, 0};
  }
  return {kLow, kHigh, phase.quantization ? kGrid : 0};
}

FinishActivation activation_of(ai8x::Activation activation) {
  switch (activation) {
    case ai8x::Activation::relu:
      return FinishActivation::relu;
    case ai8x::Activation::abs:
      return FinishActivation::abs;
    default:
      return FinishActivation::none;
  }
}

FinishTask task_of(const LayerSpec& spec, const Limits& limits, float scale) {
  FinishTask task{.scale = scale, .low = limits.low, .high = limits.high};
  task.activation = activation_of(spec.activation);
  if (limits.grid == 0) return task;
  task.grid = limits.grid;
  task.rounding = spec.wide ? FinishRounding::wide : FinishRounding::small;
  return task;
}

// Calls change(first, last) for ranges of values.
template <class Change>
void for_ranges(const Maps& maps, ThreadPool& pool, const Change& change) {
  for_items(pool, maps.n, [&](int first, int last) {
    change(first * maps.item_size(), last * maps.item_size());
  });
}

}  // namespace

float norm_factor(const Phase& phase) { return phase.unlimited ? 1.0F : kNormPart; }

float power_of_two(int exponent) { return std::ldexp(1.0F, exponent); }

float output_scale(const LayerSpec& spec, const Tape& tape) {
  if (!tape.scale || spec.wide) return 1;
  return power_of_two(chip_shift(*tape.scale, *tape.phase.quantization));
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

void apply_to_items(const Mask& mask, Maps& gradient, float factor, int first, int last) {
  float* g = gradient.values.data();
  const int8_t* m = mask.data();
  const int64_t end = last * gradient.item_size();
  for (int64_t i = first * gradient.item_size(); i < end; ++i) {
    g[i] = g[i] * static_cast<float>(m[i]) * factor;
  }
}

void apply(const Mask& mask, Maps& gradient, ThreadPool& pool, float factor) {
  if (mask.empty()) return scale(gradient, factor, pool);
  for_items(pool, gradient.n,
            [&](int first, int last) { apply_to_items(mask, gradient, factor, first, last); });
}

void scale(Maps& maps, float factor, ThreadPool& pool) {
  if (factor == 1) return;
  for_ranges(maps, pool, [&](int64_t first, int64_t last) {
    float* v = maps.values.data();
    for (int64_t i = first; i < last; ++i) v[i] *= factor;
  });
}

void output_stage(const LayerSpec& spec, const Phase& phase, float scale, Maps& maps, Mask& mask,
                  int first, int last) {
  FinishTask task = task_of(spec, limits_of(spec, phase), scale);
  task.values = maps.values.data() + first * maps.item_size();
  task.factors = mask.data() + first * maps.item_size();
  task.count = (last - first) * maps.item_size();
  const TileFunctions* tiles = fast_tiles();
  if (tiles != nullptr) return tiles->finish(task);
  for (int64_t i = 0; i < task.count; ++i) finish_value(task, i);
}

}  // namespace edgetwin::train

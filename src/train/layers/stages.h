// The stages of a layer around its sum.
#pragma once

#include <algorithm>

#include "train/layers/layer.h"

namespace edgetwin::train {

// floor(v) for magnitudes below 2^22, larger ones are cut to 2^21: beyond all limits of 8 bits. The
// sum with 1.5 * 2^23 is rounded to a whole number; plain operations, which vectors have too.
inline float floor_of_small(float v) {
  constexpr float kMost = 1 << 21, kWhole = 12'582'912;
  v = std::min(std::max(v, -kMost), kMost);
  const float nearest = (v + kWhole) - kWhole;
  return nearest > v ? nearest - 1 : nearest;
}

// Limits values, keeps those that stay as they are (borders included) in the mask.
Mask limit(Maps& maps, float low, float high, ThreadPool& pool);
// Multiplies a gradient by its mask, then by the factor; an empty mask lets all pass.
void apply(const Mask& mask, Maps& gradient, ThreadPool& pool, float factor = 1);
void scale(Maps& maps, float factor, ThreadPool& pool);

// Pooling and joining of the sources: what the sum reads, or the output of a layer without one.
Maps input_stage(const LayerSpec& spec, std::span<const Maps* const> sources, bool quantized,
                 Tape& tape, ThreadPool& pool);
std::vector<Maps> input_stage_gradient(const LayerSpec& spec, std::span<const Maps* const> sources,
                                       const Tape& tape, Maps gradient, ThreadPool& pool);

// Output scale, activation, rounding and clamp, in place.
Mask output_stage(const LayerSpec& spec, const Phase& phase, float scale, Maps& maps,
                  ThreadPool& pool);

// 2^exponent
float power_of_two(int exponent);
// The factor of the output of an 8-bit layer: 2^shift, with the threshold of the newer method.
float output_scale(const LayerSpec& spec, const Tape& tape);

}  // namespace edgetwin::train

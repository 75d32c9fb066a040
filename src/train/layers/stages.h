// The stages of a layer around its sum.
#pragma once

#include <algorithm>

#include "train/engine/tiles.h"
#include "train/layers/layer.h"

namespace edgetwin::train {

// Limits values, keeps those that stay as they are (borders included) in the mask.
Mask limit(Maps& maps, float low, float high, ThreadPool& pool);
// Multiplies a gradient by its mask, then by the factor; an empty mask lets all pass.
void apply(const Mask& mask, Maps& gradient, ThreadPool& pool, float factor = 1);
void apply_to_items(const Mask& mask, Maps& gradient, float factor, int first, int last);
void scale(Maps& maps, float factor, ThreadPool& pool);

// Pooling and joining of the sources: what the sum reads, or the output of a layer without one.
// By the phase of the tape.
Maps input_stage(const LayerSpec& spec, std::span<const Maps* const> sources, Tape& tape,
                 ThreadPool& pool);
std::vector<Maps> input_stage_gradient(const LayerSpec& spec, std::span<const Maps* const> sources,
                                       const Tape& tape, Maps gradient, ThreadPool& pool);

// The factor after batch norm: 1/4, so that data of unit variance fit into the range; 1 where there
// is none.
float norm_factor(const Phase& phase);

// Output scale, activation, rounding and clamp in place, of the items `first` to `last`. The mask
// has as many values as the maps.
void output_stage(const LayerSpec& spec, const Phase& phase, float scale, Maps& maps, Mask& mask,
                  int first, int last);

// 2^exponent
float power_of_two(int exponent);
// The factor of the output of an 8-bit layer: 2^shift, with the threshold of the newer method.
float output_scale(const LayerSpec& spec, const Tape& tape);

}  // namespace edgetwin::train

// Quantized layers whose sums binary32 could round. Their weights are split into digits; the sum of
// each digit is exact in binary32, so that the same fast loops serve. Specification: training, 15.
#pragma once

#include "train/layers/layer.h"

namespace edgetwin::train {

// 128 * 131,072 = 2^24: up to this sum of magnitudes of a channel's integers every partial sum is
// exact in binary32, whatever the input on the grid is.
inline constexpr int64_t kExactMagnitudes = 131'072;
// Half of it where the output is wide: its rounding adds 1/2 to the integer, which is exact up to
// 2^23.
inline constexpr int64_t exact_magnitudes(bool wide) {
  return wide ? kExactMagnitudes / 2 : kExactMagnitudes;
}

// The largest sum of magnitudes over the weights and the bias of an output channel, in integers of
// the chip. `units` of them are 1.
int64_t largest_magnitudes(const LayerSpec& spec, std::span<const float> weights,
                           std::span<const float> bias, float units);

// Whether binary32 could round a sum of the layer with the treated weights of the tape. False also
// where the input is not on the grid: then there are no integers to be equal to; and beyond 65,535
// products, which no chip has.
bool can_round(const LayerSpec& spec, const Maps& input, const Tape& tape);

// The output of a layer with exact sums. Sets the mask of the tape, and `sums` where the output is
// wide. `size` and `scale` are those of the output.
Maps forward_by_digits(const LayerSpec& spec, const Maps& input, Pair size, float scale, Tape& tape,
                       ThreadPool& pool);

}  // namespace edgetwin::train

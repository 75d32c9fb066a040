// Chooses the store stage of a layer and prepares its constants.
#pragma once

#include <cstdint>
#include <span>

#include "kernels/core/aligned.h"
#include "kernels/core/table8.h"
#include "kernels/i8/conv.h"

namespace edgetwin::kernels {

// The largest |sum| a channel can reach decides what its store stage may assume.
struct TailRequest {
  const Conv8Spec& spec;
  std::span<const int64_t> bounds;     // one per output channel
  std::span<const int> lane_channels;  // channel of every lane of every vector, -1: none
  int lanes = 0;
};

// Fills `words`, to which the result points.
TailTable plan_tail(const TailRequest& request, AlignedArray<int32_t>& words);

// What the sums of a layer may be, whose greatest magnitudes are given by channel.
enum class FloatReach : uint8_t {
  exact,  // floats, or limited
  large,  // no floats in places, which the kernels count
  beyond  // what the kernels are not made for
};
FloatReach float_reach(const FloatTail& tail, std::span<const int64_t> bounds);

// What the store stage `kind` of a shift wants added to the sum of a channel beforehand.
int32_t tail_bias(const ShiftTail& tail, TailKind kind, int channel);

}  // namespace edgetwin::kernels

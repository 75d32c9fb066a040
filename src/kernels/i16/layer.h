// A layer of 16 bits as its plan is made: what its sums can reach. For conv16_plan.cc and
// tail16_plan.cc.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <vector>

#include "kernels/i16/plan.h"

namespace edgetwin::kernels {

constexpr int64_t kWordLimit = int64_t{1} << 31;

// Of a weight; see conv16_plan.cc.
inline int upper_byte(int w) { return std::min((w + 128) >> 8, 127); }
inline int64_t magnitude(int64_t x) { return x < 0 ? -x : x; }
inline int32_t wrapped(int64_t x) { return static_cast<int32_t>(static_cast<uint32_t>(x)); }
inline int32_t low_bits(int count) { return static_cast<int32_t>((int64_t{1} << count) - 1); }

// Reads one layer's weights and bias.
struct Layer16 {
  const Conv16Spec& spec;
  int taps;  // of a channel

  int weight(int channel, int tap) const {
    const int64_t i =
        spec.depthwise ? int64_t{tap} * spec.window.out_c + channel : int64_t{channel} * taps + tap;
    return spec.weights[i];
  }
  int64_t bias(int channel) const { return spec.bias == nullptr ? 0 : spec.bias[channel]; }
  int64_t constant(int channel) const {
    return bias(channel) + ShiftTail::half(spec.tail.shift_of(channel));
  }
  // Of the sum of products.
  int64_t bound(int channel) const {
    int64_t sum = 0;
    for (int t = 0; t < taps; ++t) sum += std::abs(weight(channel, t));
    return sum << 15;
  }
};

// Chooses the store stage, and with it whether sums are split, for sums in two words of which the
// high one counts in 2^unit. `channels` has the channel of every lane, -1: none.
void plan_tail16(const Layer16& layer, Conv16Plan& plan, int unit,
                 const std::vector<int>& channels);

}  // namespace edgetwin::kernels

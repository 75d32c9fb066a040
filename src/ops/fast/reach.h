// How far the sum of a channel can go on its way, in either direction.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "ops/fast/input_range.h"

namespace edgetwin::ops {

// Sums of a channel's weights above and below 0.
struct WeightSums {
  int64_t positive = 0, negative = 0;
};

template <class T>
WeightSums sums_of(const T* w, size_t count, size_t step) {
  constexpr size_t kPart = 4096;  // sums of so many words fit into 32 bits
  WeightSums all;
  for (size_t first = 0; first < count; first += kPart) {
    const size_t end = std::min(count, first + kPart);
    int32_t positive = 0, negative = 0;
    for (size_t k = first; k < end; ++k) {
      const int32_t weight = w[k * step];
      positive += std::max(weight, 0);
      negative += std::min(weight, 0);
    }
    all.positive += positive;
    all.negative += negative;
  }
  return all;
}

// One range for each of `channels`, whose sums begin with `bias` and have `taps` products of
// numbers within `input`, or of 0. The weights of a channel lie side by side; of depthwise layers,
// those of a tap do.
template <class T>
std::vector<ValueRange> reach_of(const T* weights, size_t channels, size_t taps, bool depthwise,
                                 ValueRange input, const std::vector<int64_t>& bias) {
  const int64_t high = std::max<int64_t>(input.high, 0), low = std::min<int64_t>(input.low, 0);
  std::vector<ValueRange> reach;
  for (size_t o = 0; o < channels; ++o) {
    const WeightSums w = depthwise ? sums_of(weights + o, taps, channels)
                                   : sums_of(weights + o * taps, taps, size_t{1});
    reach.push_back({bias[o] + w.positive * low + w.negative * high,
                     bias[o] + w.positive * high + w.negative * low});
  }
  return reach;
}

}  // namespace edgetwin::ops

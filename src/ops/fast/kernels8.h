// The kernels of an ESP-DL layer of 8 bits: exact sums, saturating lanes, or both.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "kernels/i8/conv.h"
#include "kernels/lanes/conv.h"
#include "ops/fast/conv_espdl.h"
#include "ops/fast/input_range.h"

namespace edgetwin::ops {

// A layer's weights in plain order, and what is known of the input.
template <class T>
struct ShiftLayer {
  const Window2D& window;
  bool depthwise = false;
  const T* weights = nullptr;
  ValueRange input{};

  size_t channels() const { return static_cast<size_t>(window.out_c); }
  size_t taps() const {
    const auto window_taps =
        static_cast<size_t>(window.kernel_h) * static_cast<size_t>(window.kernel_w);
    return depthwise ? window_taps : window_taps * static_cast<size_t>(window.in_c);
  }
};

// Whether a sum is a number of so many bits.
inline bool stays_within(ValueRange r, int bits) {
  const int64_t limit = int64_t{1} << (bits - 1);
  return r.low >= -limit && r.high < limit;
}

inline kernels::ShiftTail tail_of(const ShiftSums& sums, int32_t low, int32_t high) {
  return {.shifts = *sums.shifts,
          .rounding = sums.rounding,
          .act_min = sums.relu ? 0 : low,
          .act_max = high};
}

inline int shift_of(const ShiftSums& sums, size_t channel) {
  return (*sums.shifts)[sums.shifts->size() == 1 ? 0 : channel];
}

// The kernels of one layer: exact ones, saturating ones, or both.
struct Kernels8 {
  std::shared_ptr<const kernels::PackedConv> exact;
  std::shared_ptr<const kernels::LaneConv> lanes;
  int exact_begin = 0;    // channel; not 0 only where the picture has one pixel
  size_t first = 0;       // scratch bytes of the exact ones
  std::vector<int> some;  // the channels of the lanes, where they are no range
  size_t pixels = 0, channels = 0;

  bool any() const { return exact != nullptr || lanes != nullptr; }
  size_t results() const;  // bytes of scratch that the lanes of `some` write to
  size_t scratch_bytes(int threads) const;
  void run(const int8_t* x, int8_t* y, std::byte* scratch, ThreadPool& pool,
           std::atomic<int64_t>& differing) const;
};

// None where a part of the layer has no kernel.
Kernels8 kernels_for(const ShiftLayer<int8_t>& layer, const ShiftSums& sums, kernels::Isa isa,
                     int threads);

}  // namespace edgetwin::ops

// Resizing between pixels as loops over channels, for the compiler to make vectors of. Included
// once per instruction set.
#pragma once

#include "kernels/core/no_dependence.h"
#include "kernels/core/resize_table.h"

namespace edgetwin::kernels::EDGETWIN_ISA_NAMESPACE {

// Calls block(first, size) for channels until all are done: blocks of a fixed size, for loops
// without ends of single elements. The last block begins early enough to end with the last channel.
template <class Block>
[[gnu::always_inline]] inline void channel_blocks(std::ptrdiff_t channels, const Block& block) {
  constexpr std::ptrdiff_t kBlock = 16;
  std::ptrdiff_t i = 0;
  for (; i + kBlock <= channels; i += kBlock) block(i, kBlock);
  if (i == channels) return;
  if (channels >= kBlock) return block(channels - kBlock, kBlock);
  block(i, channels);
}

// Integers: sums are exact, so that their order does not matter. `rounded` makes a byte of one.
template <class T, class Round>
[[gnu::always_inline]] inline void resize_integers(const ResizeRow<T, int32_t>& r,
                                                   const Round& rounded) {
  int32_t* __restrict sums = r.sums;
  for (std::ptrdiff_t i = 0; i < r.in_elements; ++i) {
    sums[i] = r.top[i] * r.top_weight + r.bottom[i] * r.bottom_weight;
  }
  T* __restrict out = r.out;
  for (std::ptrdiff_t x = 0; x < r.out_width; ++x, out += r.channels) {
    const ResizeColumn<int32_t>& c = r.columns[x];
    const int32_t* low = sums + c.low;
    const int32_t* high = sums + c.high;
    const int32_t low_weight = c.low_weight, high_weight = c.high_weight;
    channel_blocks(
        r.channels, [=](std::ptrdiff_t first, std::ptrdiff_t size) __attribute__((always_inline)) {
          EDGETWIN_NO_DEPENDENCE
          for (std::ptrdiff_t i = first; i < first + size; ++i) {
            out[i] = static_cast<T>(rounded(low[i] * low_weight + high[i] * high_weight));
          }
        });
  }
}

// 2^10 is one.
inline void resize_bytes(const ResizeRow<int8_t, int32_t>& r) {
  constexpr int32_t kHalf = 1 << 19;
  // Away from zero: numbers up to zero get one step less than a half, and the floor does the rest.
  const int32_t less = r.half_up ? 0 : 1;
  resize_integers(
      r, [less](int32_t sum)
             __attribute__((always_inline)) { return (sum + kHalf - (sum < 0 ? less : 0)) >> 20; });
}

// 2^7 is one. To even: of a tie, floors that are odd go up, all others stay.
template <class T>
inline void resize_edgetpu(const ResizeRow<T, int32_t>& r) {
  constexpr int32_t kBelowHalf = (1 << 13) - 1;
  resize_integers(
      r, [](int32_t sum)
             __attribute__((always_inline)) { return (sum + kBelowHalf + (sum >> 14 & 1)) >> 14; });
}

// Single precision in the definition's own order of products and sums.
inline void resize_unsigned_bytes(const ResizeRow<uint8_t, float>& r) {
  float* __restrict top = r.sums;
  float* __restrict bottom = r.sums + r.in_elements;
  for (std::ptrdiff_t i = 0; i < r.in_elements; ++i) {
    top[i] = static_cast<float>(r.top[i]) * r.top_weight;
    bottom[i] = static_cast<float>(r.bottom[i]) * r.bottom_weight;
  }
  uint8_t* __restrict out = r.out;
  for (std::ptrdiff_t x = 0; x < r.out_width; ++x, out += r.channels) {
    const ResizeColumn<float>& c = r.columns[x];
    const float* t0 = top + c.low;
    const float* b0 = bottom + c.low;
    const float* t1 = top + c.high;
    const float* b1 = bottom + c.high;
    const float low_weight = c.low_weight, high_weight = c.high_weight;
    channel_blocks(
        r.channels, [=](std::ptrdiff_t first, std::ptrdiff_t size) __attribute__((always_inline)) {
          EDGETWIN_NO_DEPENDENCE
          for (std::ptrdiff_t i = first; i < first + size; ++i) {
            const float sum = t0[i] * low_weight + b0[i] * low_weight + t1[i] * high_weight +
                              b1[i] * high_weight + 0.5F;
            const float least = sum > 0.0F ? sum : 0.0F;
            out[i] = static_cast<uint8_t>(static_cast<int32_t>(least < 255.0F ? least : 255.0F));
          }
        });
  }
}

}  // namespace edgetwin::kernels::EDGETWIN_ISA_NAMESPACE

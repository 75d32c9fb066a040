// Resizing between pixels as loops over channels, for the compiler to make vectors of. Included
// once per instruction set.
#pragma once

#include "kernels/core/no_dependence.h"
#include "kernels/core/resize_table.h"

namespace edgetwin::kernels::EDGETWIN_ISA_NAMESPACE {

template <class Sum>
struct ResizeSums {
  static constexpr std::ptrdiff_t kCount = 32 / sizeof(Sum);
  typedef Sum Type __attribute__((vector_size(32), aligned(sizeof(Sum)), may_alias));
};

// Between columns: what the two pixels of each output column weigh together.
template <class T, class Sum>
void resize_columns(const ResizeRow<T, Sum>& r, const T* from, Sum* to) {
  using Sums = typename ResizeSums<Sum>::Type;
  Sum* __restrict wide = r.wide;
  const std::ptrdiff_t elements = r.in_elements, channels = r.channels, width = r.out_width;
  EDGETWIN_NO_DEPENDENCE
  for (std::ptrdiff_t i = 0; i < elements; ++i) wide[i] = from[i];
  for (std::ptrdiff_t x = 0; x < width; ++x, to += channels) {
    const ResizeColumn<Sum> c = r.columns[x];
    for (std::ptrdiff_t i = 0; i < channels; i += ResizeSums<Sum>::kCount) {
      *reinterpret_cast<Sums*>(to + i) =
          *reinterpret_cast<const Sums*>(wide + c.low + i) * c.low_weight +
          *reinterpret_cast<const Sums*>(wide + c.high + i) * c.high_weight;
    }
  }
}

// The sums of input row `from`, computed where they are not held; those of `other` stay.
template <class T, class Sum>
const Sum* resize_sums(const ResizeRow<T, Sum>& r, const T* from, const T* other) {
  Sum* second = r.sums + r.out_width * r.channels + kResizeBlock;
  if (r.held[0] == from) return r.sums;
  if (r.held[1] == from) return second;
  const int place = r.held[0] == other ? 1 : 0;
  Sum* sums = place == 0 ? r.sums : second;
  resize_columns(r, from, sums);
  r.held[place] = from;
  return sums;
}

// `rounded` makes a byte of a sum.
template <class T, class Round>
[[gnu::always_inline]] inline void resize_integers(const ResizeRow<T, int32_t>& r,
                                                   const Round& rounded) {
  const int32_t* top = resize_sums(r, r.top, r.bottom);
  const int32_t* bottom = resize_sums(r, r.bottom, r.top);
  const int32_t top_weight = r.top_weight, bottom_weight = r.bottom_weight;
  const std::ptrdiff_t count = r.out_width * r.channels;
  T* __restrict out = r.out;
  EDGETWIN_NO_DEPENDENCE
  for (std::ptrdiff_t i = 0; i < count; ++i) {
    out[i] = static_cast<T>(rounded(top[i] * top_weight + bottom[i] * bottom_weight));
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
  using Floats = typename ResizeSums<float>::Type;
  float* __restrict top = r.sums;
  float* __restrict bottom = r.sums + r.in_elements;
  EDGETWIN_NO_DEPENDENCE
  for (std::ptrdiff_t i = 0; i < r.in_elements; ++i) {
    top[i] = static_cast<float>(r.top[i]) * r.top_weight;
    bottom[i] = static_cast<float>(r.bottom[i]) * r.bottom_weight;
  }
  float* const results = r.wide;
  float* to = results;
  const std::ptrdiff_t channels = r.channels, width = r.out_width;
  for (std::ptrdiff_t x = 0; x < width; ++x, to += channels) {
    const ResizeColumn<float> c = r.columns[x];
    for (std::ptrdiff_t i = 0; i < channels; i += ResizeSums<float>::kCount) {
      const Floats top_low = *reinterpret_cast<const Floats*>(top + c.low + i);
      const Floats bottom_low = *reinterpret_cast<const Floats*>(bottom + c.low + i);
      const Floats top_high = *reinterpret_cast<const Floats*>(top + c.high + i);
      const Floats bottom_high = *reinterpret_cast<const Floats*>(bottom + c.high + i);
      *reinterpret_cast<Floats*>(to + i) = top_low * c.low_weight + bottom_low * c.low_weight +
                                           top_high * c.high_weight + bottom_high * c.high_weight +
                                           0.5F;
    }
  }
  const std::ptrdiff_t count = width * channels;
  uint8_t* __restrict out = r.out;
  EDGETWIN_NO_DEPENDENCE
  for (std::ptrdiff_t i = 0; i < count; ++i) {
    const float least = results[i] > 0.0F ? results[i] : 0.0F;
    out[i] = static_cast<uint8_t>(static_cast<int32_t>(least < 255.0F ? least : 255.0F));
  }
}

}  // namespace edgetwin::kernels::EDGETWIN_ISA_NAMESPACE

// Resizing between pixels in words: for weights that are multiples of 2^-4 or coarser, as those of
// pictures that grow by 2, 4, 8 or 16 are. Included once per instruction set, after
// resize_loops.h.
#pragma once

#include "kernels/core/resize_loops.h"

namespace edgetwin::kernels::EDGETWIN_ISA_NAMESPACE {

// Sixteen bytes and their sums.
template <class T>
struct ResizeBlock;
template <>
struct ResizeBlock<int8_t> {
  using Word = int16_t;
  typedef int16_t Words __attribute__((vector_size(32), aligned(2), may_alias));
  typedef int8_t Bytes __attribute__((vector_size(16), aligned(1), may_alias));
};
template <>
struct ResizeBlock<uint8_t> {
  using Word = uint16_t;
  typedef uint16_t Words __attribute__((vector_size(32), aligned(2), may_alias));
  typedef uint8_t Bytes __attribute__((vector_size(16), aligned(1), may_alias));
};

// `rounded` turns sums, of which 2^r.shift is one, into bytes as words.
template <class T, class Round>
[[gnu::always_inline]] inline void resize_narrow(const ResizeRow<T, int16_t>& r,
                                                 const Round& rounded) {
  using Block = ResizeBlock<T>;
  using Words = typename Block::Words;
  using Bytes = typename Block::Bytes;
  using Word = typename Block::Word;
  constexpr std::ptrdiff_t kBlock = kResizeBlock;
  const int16_t* top = resize_sums(r, r.top, r.bottom);
  const int16_t* bottom = resize_sums(r, r.bottom, r.top);
  const auto top_weight = static_cast<Word>(r.top_weight);
  const auto bottom_weight = static_cast<Word>(r.bottom_weight);
  const std::ptrdiff_t count = r.out_width * r.channels;
  for (std::ptrdiff_t i = 0; i < count; i += kBlock) {
    if (i + kBlock > count && count >= kBlock) i = count - kBlock;
    Words words = *reinterpret_cast<const Words*>(top + i) * top_weight +
                  *reinterpret_cast<const Words*>(bottom + i) * bottom_weight;
    rounded(words);
    const Bytes bytes = __builtin_convertvector(words, Bytes);
    if (count >= kBlock) {
      *reinterpret_cast<Bytes*>(r.out + i) = bytes;
    } else {
      for (std::ptrdiff_t k = 0; k < count; ++k) r.out[k] = bytes[k];
    }
  }
}

inline void resize_narrow_bytes(const ResizeRow<int8_t, int16_t>& r) {
  const auto half = static_cast<int16_t>(1 << (r.shift - 1));
  // Away from zero: as resize_bytes() does.
  const auto less = static_cast<int16_t>(r.half_up ? 0 : -1);
  const auto shift = static_cast<int16_t>(r.shift);
  resize_narrow(
      r, [=](ResizeBlock<int8_t>::Words & sum) __attribute__((always_inline)) {
        sum = (sum + half + ((sum >> int16_t{15}) & less)) >> shift;
      });
}

inline void resize_narrow_unsigned_bytes(const ResizeRow<uint8_t, int16_t>& r) {
  const auto half = static_cast<uint16_t>(1 << (r.shift - 1));
  const auto shift = static_cast<uint16_t>(r.shift);
  resize_narrow(
      r, [=](ResizeBlock<uint8_t>::Words & sum)
             __attribute__((always_inline)) { sum = (sum + half) >> shift; });
}

// To even: as resize_edgetpu() does.
template <class T>
inline void resize_narrow_edgetpu(const ResizeRow<T, int16_t>& r) {
  using Word = typename ResizeBlock<T>::Word;
  const auto below_half = static_cast<Word>((1 << (r.shift - 1)) - 1);
  const auto shift = static_cast<Word>(r.shift);
  resize_narrow(
      r, [=](typename ResizeBlock<T>::Words & sum) __attribute__((always_inline)) {
        sum = (sum + below_half + ((sum >> shift) & Word{1})) >> shift;
      });
}

}  // namespace edgetwin::kernels::EDGETWIN_ISA_NAMESPACE

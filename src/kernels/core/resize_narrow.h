// Resizing between pixels in words: for weights that are multiples of 2^-4 or coarser, as those of
// pictures that grow by 2, 4, 8 or 16 are. Included once per instruction set.
#pragma once

#include "kernels/core/resize_table.h"

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

// The first `size` bytes of a block, for pixels whose block would leave the row.
template <class T>
[[gnu::always_inline]] inline void store_some(const typename ResizeBlock<T>::Bytes& bytes, T* out,
                                              std::ptrdiff_t size) {
  for (std::ptrdiff_t i = 0; i < size; ++i) out[i] = bytes[i];
}

// `rounded` turns sums, of which 2^r.shift is one, into bytes as words. Pixels of less than a block
// are written from left to right: what a block writes too much, the next pixels replace.
template <class T, class Round>
[[gnu::always_inline]] inline void resize_narrow(const ResizeRow<T, int16_t>& r,
                                                 const Round& rounded) {
  using Block = ResizeBlock<T>;
  using Word = typename Block::Word;
  constexpr std::ptrdiff_t kBlock = kResizeBlock;
  auto* __restrict sums = reinterpret_cast<Word*>(r.sums);
  for (std::ptrdiff_t i = 0; i < r.in_elements; ++i) {
    sums[i] = static_cast<Word>(r.top[i] * r.top_weight + r.bottom[i] * r.bottom_weight);
  }
  T* __restrict out = r.out;
  const T* const end = r.out + r.out_width * r.channels;
  for (std::ptrdiff_t x = 0; x < r.out_width; ++x, out += r.channels) {
    const ResizeColumn<int16_t>& c = r.columns[x];
    const Word low_weight = static_cast<Word>(c.low_weight);
    const Word high_weight = static_cast<Word>(c.high_weight);
    for (std::ptrdiff_t i = 0; i < r.channels; i += kBlock) {
      if (i + kBlock > r.channels && r.channels >= kBlock) i = r.channels - kBlock;
      const auto& low = *reinterpret_cast<const typename Block::Words*>(sums + c.low + i);
      const auto& high = *reinterpret_cast<const typename Block::Words*>(sums + c.high + i);
      typename Block::Words words = low * low_weight + high * high_weight;
      rounded(words);
      const auto bytes = __builtin_convertvector(words, typename Block::Bytes);
      if (out + i + kBlock <= end) {
        *reinterpret_cast<typename Block::Bytes*>(out + i) = bytes;
      } else {
        store_some<T>(bytes, out + i, r.channels - i);
      }
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

// Windows over bytes, a block of channels at a time through all pixels of the window. Included once
// per instruction set, which decides how many registers a block is.
#pragma once

#include "kernels/core/pool_table.h"

namespace edgetwin::kernels::EDGETWIN_ISA_NAMESPACE {

template <class T>
struct PoolBlock;
template <>
struct PoolBlock<int8_t> {
  typedef int8_t Bytes __attribute__((vector_size(32)));
  typedef int8_t Narrow __attribute__((vector_size(16)));
  typedef int8_t Eight __attribute__((vector_size(8)));
  typedef int16_t Words __attribute__((vector_size(32)));
};
template <>
struct PoolBlock<uint8_t> {
  typedef uint8_t Bytes __attribute__((vector_size(32)));
  typedef uint8_t Narrow __attribute__((vector_size(16)));
  typedef uint8_t Eight __attribute__((vector_size(8)));
  typedef uint16_t Words __attribute__((vector_size(32)));
};

// Whole blocks of channels from `c` on; returns the channel after them.
template <class Block>
[[gnu::always_inline]] inline std::ptrdiff_t pool_largest_blocks(const PoolTaps& taps,
                                                                 std::ptrdiff_t c, uint8_t* out) {
  constexpr std::ptrdiff_t kBlock = sizeof(Block);
  for (; c + kBlock <= taps.channels; c += kBlock) {
    Block most;
    __builtin_memcpy(&most, taps.pixels[0] + c, sizeof most);
    for (std::ptrdiff_t k = 1; k < taps.count; ++k) {
      Block x;
      __builtin_memcpy(&x, taps.pixels[k] + c, sizeof x);
      most = x > most ? x : most;
    }
    __builtin_memcpy(out + c, &most, sizeof most);
  }
  return c;
}

template <class T>
void pool_largest_of(const PoolTaps& taps, uint8_t* out) {
  std::ptrdiff_t c = pool_largest_blocks<typename PoolBlock<T>::Bytes>(taps, 0, out);
  c = pool_largest_blocks<typename PoolBlock<T>::Narrow>(taps, c, out);
  c = pool_largest_blocks<typename PoolBlock<T>::Eight>(taps, c, out);
  for (; c < taps.channels; ++c) {
    T most = static_cast<T>(taps.pixels[0][c]);
    for (std::ptrdiff_t k = 1; k < taps.count; ++k) {
      const T x = static_cast<T>(taps.pixels[k][c]);
      most = x > most ? x : most;
    }
    out[c] = static_cast<uint8_t>(most);
  }
}

// Sums of 256 bytes fit 16 bits, signed and unsigned.
template <class T>
void pool_sums_of(const PoolTaps& taps, int32_t* out) {
  using Narrow = typename PoolBlock<T>::Narrow;
  using Words = typename PoolBlock<T>::Words;
  constexpr std::ptrdiff_t kBlock = sizeof(Narrow), kFit = 256;
  std::ptrdiff_t c = 0;
  for (; c + kBlock <= taps.channels; c += kBlock) {
    int32_t total[kBlock] = {};
    for (std::ptrdiff_t k = 0; k < taps.count; k += kFit) {
      const std::ptrdiff_t end = taps.count - k < kFit ? taps.count : k + kFit;
      Words sum = {};
      for (std::ptrdiff_t i = k; i < end; ++i) {
        Narrow x;
        __builtin_memcpy(&x, taps.pixels[i] + c, sizeof x);
        sum += __builtin_convertvector(x, Words);
      }
      for (std::ptrdiff_t i = 0; i < kBlock; ++i) total[i] += sum[i];
    }
    __builtin_memcpy(out + c, total, sizeof total);
  }
  for (; c < taps.channels; ++c) {
    int32_t total = 0;
    for (std::ptrdiff_t k = 0; k < taps.count; ++k) total += static_cast<T>(taps.pixels[k][c]);
    out[c] = total;
  }
}

inline void pool_largest(const PoolTaps& taps, uint8_t* out) {
  taps.is_signed ? pool_largest_of<int8_t>(taps, out) : pool_largest_of<uint8_t>(taps, out);
}

inline void pool_sums(const PoolTaps& taps, int32_t* out) {
  taps.is_signed ? pool_sums_of<int8_t>(taps, out) : pool_sums_of<uint8_t>(taps, out);
}

inline constexpr PoolTable kPoolTable = {pool_largest, pool_sums};

}  // namespace edgetwin::kernels::EDGETWIN_ISA_NAMESPACE

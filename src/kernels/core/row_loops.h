// Rows of bytes as loops without branches, for the compiler to make vectors of. Included once per
// instruction set.
#pragma once

#include "kernels/core/no_dependence.h"
#include "kernels/core/row_table.h"

namespace edgetwin::kernels::EDGETWIN_ISA_NAMESPACE {

template <class T>
int32_t row_largest_of(const uint8_t* x_, std::ptrdiff_t count) {
  const T* x = reinterpret_cast<const T*>(x_);
  T most = x[0];
  for (std::ptrdiff_t i = 1; i < count; ++i) most = x[i] > most ? x[i] : most;
  return most;
}

inline int32_t row_largest(const uint8_t* x, std::ptrdiff_t count, bool is_signed) {
  return is_signed ? row_largest_of<int8_t>(x, count) : row_largest_of<uint8_t>(x, count);
}

// Elements less their zero point have 9 bits: products of 16 bits by 16.
template <class T>
int32_t row_squares_of(const uint8_t* x_, std::ptrdiff_t count, int32_t zero_) {
  const T* x = reinterpret_cast<const T*>(x_);
  const auto zero = static_cast<int16_t>(zero_);
  uint32_t sum = 0;
  for (std::ptrdiff_t i = 0; i < count; ++i) {
    const auto d = static_cast<int16_t>(x[i] - zero);
    sum += static_cast<uint32_t>(int32_t{d} * int32_t{d});
  }
  return static_cast<int32_t>(sum);
}

inline int32_t row_squares(const uint8_t* x, std::ptrdiff_t count, int32_t zero, bool is_signed) {
  return is_signed ? row_squares_of<int8_t>(x, count, zero)
                   : row_squares_of<uint8_t>(x, count, zero);
}

inline void row_portions(const RowPortion& p, const uint32_t* x_, std::ptrdiff_t count,
                         int32_t* out_) {
  const uint32_t* __restrict x = x_;
  int32_t* __restrict out = out_;
  const uint32_t factor = p.factor;
  const uint32_t half = uint32_t{1} << (p.shift - 1);
  const int shift = p.shift;
  const int32_t most = p.most, lowest = p.lowest;
  EDGETWIN_NO_DEPENDENCE
  for (std::ptrdiff_t i = 0; i < count; ++i) {
    const auto part = static_cast<uint32_t>((uint64_t{x[i]} * factor + (uint64_t{1} << 30)) >> 31);
    const auto rounded = static_cast<int32_t>((part + half) >> shift);
    out[i] = (rounded < most ? rounded : most) + lowest;
  }
}

inline void row_sigmoid16(const Sigmoid16& f, const int16_t* x_, std::ptrdiff_t count,
                          int16_t* out_) {
  const int16_t* __restrict x = x_;
  int16_t* __restrict out = out_;
  const uint32_t* __restrict table = f.table;
  const int32_t multiplier = f.multiplier, offset = f.offset;
  const int shift = f.shift, fraction_bits = f.fraction_bits, result_bits = f.result_bits;
  const int32_t half = shift > 0 ? int32_t{1} << (shift - 1) : 0;
  const int32_t fraction = (int32_t{1} << fraction_bits) - 1;
  const int32_t most = (int32_t{1} << (16 + fraction_bits)) - 1;
  EDGETWIN_NO_DEPENDENCE
  for (std::ptrdiff_t i = 0; i < count; ++i) {
    const int32_t v = (x[i] * multiplier + half) >> shift;
    const int32_t magnitude = v < 0 ? -v : v;
    const int32_t whole = magnitude >> fraction_bits;
    const uint32_t entry = table[whole < 255 ? whole : 255];
    const auto low = static_cast<int32_t>(entry & 0xFFFF), step = static_cast<int32_t>(entry >> 16);
    const int32_t r = (low << fraction_bits) + (magnitude & fraction) * step;
    const int32_t signed_r = v < 0 ? most - r : r;
    out[i] = static_cast<int16_t>((signed_r + offset) >> result_bits);
  }
}

typedef float ChipFloats __attribute__((vector_size(32), aligned(4), may_alias));
typedef int32_t ChipInts __attribute__((vector_size(32), aligned(4), may_alias));
typedef double ChipDoubles __attribute__((vector_size(32), aligned(8)));
typedef int32_t ChipHalf __attribute__((vector_size(16), aligned(4), may_alias));
typedef float ChipFloatHalf __attribute__((vector_size(16), aligned(4), may_alias));

// What is left of a number of the type float, as a byte.
struct ChipByte {
  ChipFloats limited, nearest;
  ChipInts byte;
};
[[gnu::always_inline]] inline ChipByte chip_byte(const ChipPortion& p, ChipFloats x) {
  constexpr float kUnitSteps = 12582912.0F;
  const ChipFloats low = ChipFloats{} + p.low, high = ChipFloats{} + p.high;
  const ChipFloats least = x > low ? x : low;
  ChipByte r;
  r.limited = least < high ? least : high;
  r.nearest = (r.limited + kUnitSteps) - kUnitSteps;
  const ChipInts number = __builtin_convertvector(r.nearest, ChipInts) + p.zero;
  constexpr ChipInts none = {};
  const ChipInts positive = number > none ? number : none;
  r.byte = positive < 255 ? positive : none + 255;
  return r;
}

[[gnu::always_inline]] inline ChipFloatHalf chip_quotients(const ChipPortion& p, ChipHalf nearest) {
  const ChipDoubles quotients = 256.0 * __builtin_convertvector(nearest, ChipDoubles) / p.all;
  return __builtin_convertvector(quotients, ChipFloatHalf);
}

// Both parts of eight elements, and what is open of them.
struct ChipParts {
  ChipInts part, exact, tie, large, differ;
};
[[gnu::always_inline]] inline ChipParts chip_parts(const ChipPortion& p, ChipInts x,
                                                   ChipFloats exact) {
  const ChipInts sum = x * p.reciprocal;
  const ChipFloats a = __builtin_convertvector(sum, ChipFloats);
  const ChipFloats product = a * p.multiplier;
  const ChipByte part = chip_byte(p, product);
  const ChipFloats off = part.limited - part.nearest;
  ChipParts r;
  r.part = part.byte;
  r.exact = chip_byte(p, exact).byte;
  r.tie = off * off == 0.25F;
  r.large = (__builtin_convertvector(a, ChipInts) != sum) & (part.limited == product);
  r.differ = r.part != r.exact;
  return r;
}

inline void row_chip_portions(const ChipPortion& p, const int32_t* x, const int32_t* nearest,
                              std::ptrdiff_t count, int32_t* out) {
  for (std::ptrdiff_t i = 0; i < count; i += 8) {
    const ChipFloatHalf low = chip_quotients(p, *reinterpret_cast<const ChipHalf*>(nearest + i));
    const ChipFloatHalf high =
        chip_quotients(p, *reinterpret_cast<const ChipHalf*>(nearest + i + 4));
    const ChipParts r = chip_parts(p, *reinterpret_cast<const ChipInts*>(x + i),
                                   __builtin_shufflevector(low, high, 0, 1, 2, 3, 4, 5, 6, 7));
    *reinterpret_cast<ChipInts*>(out + i) =
        r.part | r.exact << 8 | (r.tie & 1 << 16) | (r.large & 1 << 17) | (r.differ & 1 << 18);
  }
}

}  // namespace edgetwin::kernels::EDGETWIN_ISA_NAMESPACE

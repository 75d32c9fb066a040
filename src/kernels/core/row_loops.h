// Rows of bytes as loops without branches, for the compiler to make vectors of. Included once per
// instruction set. `Unit` has what the compiler does not find by itself:
//   ChipInts nearest(ChipFloats x)                                ties to even; |x| < 2^22
//   ChipFloats larger(ChipFloats a, ChipFloats b), smaller        of no NaN
//   ChipWords wide(ChipHalves x)                                  the same numbers
//   ChipFloats pick(const float* table, ChipInts at)              table[at[i]] of eight
//   ChipBytes bytes(ChipInts a, ChipInts b, ChipInts c, ChipInts d)    limited to 0 ... 255
//   uint32_t differing(ChipBytes a, ChipBytes b)                  how many
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
    const auto low = static_cast<int32_t>(entry >> 16), step = static_cast<int32_t>(entry & 0xFFFF);
    const int32_t r = (low << fraction_bits) + (magnitude & fraction) * step;
    const int32_t signed_r = v < 0 ? most - r : r;
    out[i] = static_cast<int16_t>((signed_r + offset) >> result_bits);
  }
}

// The last step of SOFTMAX on the Edge TPU, eight elements at a time.
typedef float ChipFloats __attribute__((vector_size(32), aligned(4), may_alias));
typedef int32_t ChipInts __attribute__((vector_size(32), aligned(4), may_alias));
typedef uint8_t ChipBytes __attribute__((vector_size(32), aligned(1), may_alias));
typedef uint16_t ChipHalves __attribute__((vector_size(16), aligned(2), may_alias));
typedef uint32_t ChipWords __attribute__((vector_size(32), aligned(4), may_alias));

inline uint64_t chip_sum(ChipInts v) {
  uint64_t sum = 0;
  for (int i = 0; i < 8; ++i) sum += static_cast<uint32_t>(v[i]);
  return sum;
}

struct ChipSteps {
  ChipInts part, exact;  // not yet limited to bytes
  ChipInts tie, large;   // all bits where so
};

// Both parts. Exponentials and reciprocals have products below 2^31. Last: ChipPortion or
// ChipSoftmax; `exact` are 256 times the quotients of the nearest exponentials.
template <class Unit, class Last>
[[gnu::always_inline]] inline ChipSteps chip_steps(const Last& f, ChipInts x, ChipInts reciprocal,
                                                   ChipFloats exact) {
  const ChipFloats low = ChipFloats{} + f.low, high = ChipFloats{} + f.high;
  const auto limited = [&](ChipFloats v) __attribute__((always_inline)) {
    return Unit::smaller(Unit::larger(v, low), high);
  };
  const ChipInts sum = x * reciprocal;
  const ChipFloats a = __builtin_convertvector(sum, ChipFloats);
  const ChipFloats product = a * f.multiplier, part = limited(product);
  const ChipInts number = Unit::nearest(part);
  const ChipFloats off = part - __builtin_convertvector(number, ChipFloats);
  return {
      number + f.zero, Unit::nearest(limited(exact)) + f.zero,
      reinterpret_cast<ChipInts>(off * off == 0.25F),
      (__builtin_convertvector(a, ChipInts) != sum) & reinterpret_cast<ChipInts>(part == product)};
}

// Long rows there: elements are counted by their numbers, sums and results are those of at most 256
// numbers. Four counters for each: equal neighbours do not wait for each other.
inline constexpr std::ptrdiff_t kChipCounters = 4;
static_assert(kChipPart <= UINT16_MAX);

struct ChipCounters {
  alignas(32) uint16_t of[kChipCounters][256];
};

inline void chip_count(const uint8_t* x, std::ptrdiff_t count, uint8_t flip, ChipCounters& all) {
  typedef uint64_t Eight __attribute__((aligned(1), may_alias));
  constexpr std::ptrdiff_t kElements = 8;
  const uint64_t flips = flip * uint64_t{0x0101010101010101};
  for (auto& one : all.of) {
    for (uint16_t& c : one) c = 0;
  }
  std::ptrdiff_t i = 0;
  for (; i + kElements <= count; i += kElements) {
    const uint64_t eight = *reinterpret_cast<const Eight*>(x + i) ^ flips;
    for (int k = 0; k < kElements; ++k) ++all.of[k % kChipCounters][eight >> (8 * k) & 255];
  }
  for (; i < count; ++i) ++all.of[i % kChipCounters][x[i] ^ flip];
}

template <class Unit>
ChipSums chip_row_sums(const ChipRow& row_, const uint8_t* x, std::ptrdiff_t count, uint8_t flip) {
  using Halves = ChipHalves;
  using Words = ChipWords;
  const ChipRow row = row_;
  ChipCounters counters;
  chip_count(x, count, flip, counters);
  Words chip = {}, nearest = {};
  for (std::ptrdiff_t u = row.begin; u < row.end; u += 8) {
    const auto of = [&](int k) __attribute__((always_inline)) {
      return *reinterpret_cast<const Halves*>(counters.of[k] + u);
    };
    const Halves four = (of(0) + of(1)) + (of(2) + of(3));
    const Words times = Unit::wide(four);
    *reinterpret_cast<Words*>(row.counts + u) += times;
    chip += times * *reinterpret_cast<const Words*>(row.exponentials + u);
    nearest += times * *reinterpret_cast<const Words*>(row.nearest + u);
  }
  const auto sum = [](Words lanes) {
    return static_cast<uint32_t>(chip_sum(reinterpret_cast<ChipInts>(lanes)));
  };
  return {sum(chip), sum(nearest)};
}

// Of eight exponentials 256 times their parts of all. Where the sum of all is a float, too, the
// quotient is rounded once: that of doubles, which have more than twice the bits, is the same then.
template <bool kFloats>
[[gnu::always_inline]] inline ChipFloats chip_exact(const ChipPortion& p, const int32_t* nearest) {
  if constexpr (kFloats) {
    return __builtin_convertvector(*reinterpret_cast<const ChipInts*>(nearest) << 8, ChipFloats) /
           static_cast<float>(p.all);
  } else {
    ChipFloats exact;
    for (int i = 0; i < 8; ++i) exact[i] = static_cast<float>(256.0 * nearest[i] / p.all);
    return exact;
  }
}

template <class Unit, bool kFloats>
ChipCounts chip_results_of(const ChipPortion& p, const ChipRow& row, uint8_t* out) {
  constexpr std::ptrdiff_t kElements = 32;
  ChipInts ties = {}, large = {}, differ = {};
  const ChipInts exact = ChipInts{} - (p.exact ? 1 : 0);
  for (std::ptrdiff_t u = row.begin; u < row.end; u += kElements) {
    ChipInts results[4];
    for (int k = 0; k < 4; ++k) {
      const std::ptrdiff_t at = u + 8 * k;
      const ChipSteps r =
          chip_steps<Unit>(p, *reinterpret_cast<const ChipInts*>(row.exponentials + at),
                           ChipInts{} + p.reciprocal, chip_exact<kFloats>(p, row.nearest + at));
      const ChipInts times = *reinterpret_cast<const ChipInts*>(row.counts + at);
      ties += r.tie & times;
      large += r.large & times;
      differ += (r.part != r.exact) & times;
      results[k] = (r.exact & exact) | (r.part & ~exact);
    }
    // Signed numbers of 0 and more are in the first half of the table.
    *reinterpret_cast<ChipBytes*>(out + (u ^ p.flip)) =
        Unit::bytes(results[0], results[1], results[2], results[3]) ^ p.flip;
  }
  return {chip_sum(ties), chip_sum(large), chip_sum(differ)};
}

template <class Unit>
ChipCounts chip_row_results(const ChipPortion& p, const ChipRow& row, uint8_t* out) {
  constexpr double kFloatsUpTo = 1 << 24;
  return p.all <= kFloatsUpTo ? chip_results_of<Unit, true>(p, row, out)
                              : chip_results_of<Unit, false>(p, row, out);
}

}  // namespace edgetwin::kernels::EDGETWIN_ISA_NAMESPACE

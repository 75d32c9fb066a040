// SOFTMAX of short rows on the Edge TPU, eight rows at a time: exponentials row by row, one over
// their sums for all rows side by side, then the parts of all elements as if they were one row.
// Included once per instruction set; `Unit` as in row_loops.h.
#pragma once

#include "kernels/core/row_loops.h"
#include "kernels/core/softmax_loops.h"

namespace edgetwin::kernels::EDGETWIN_ISA_NAMESPACE {

inline constexpr std::ptrdiff_t kChipRows = 8, kChipElements = kChipRows * kChipRowLongest,
                                kChipSpill = 32;

struct ChipBlock {
  std::ptrdiff_t rows = 0, length = 0;
  alignas(32) uint64_t pairs[kChipElements + kChipSpill];
  alignas(32) int32_t reciprocals[kChipElements + kChipSpill];  // of the row of each element
  alignas(32) float all[kChipElements + kChipSpill];
  uint8_t x[kChipElements + kSoftmaxSpill];  // as unsigned numbers
  uint8_t distances[kChipElements + kSoftmaxSpill];
  alignas(32) int32_t sums[kChipRows];
  float nearest_sums[kChipRows];
};

inline void chip_exponentials(const ChipSoftmax& f, ChipBlock& b) {
  const std::ptrdiff_t length = b.length;
  for (std::ptrdiff_t r = 0; r < b.rows; ++r) {
    const uint8_t* distances = b.distances + r * length;
    uint64_t* pairs = b.pairs + r * length;
    uint64_t both = 0;
    for (std::ptrdiff_t i = 0; i < length; ++i) {
      const uint64_t pair = f.exponentials[distances[i]];
      pairs[i] = pair;
      both += pair;
    }
    b.sums[r] = static_cast<int32_t>(both & 0xFFFFFFFF);
    b.nearest_sums[r] = static_cast<float>(static_cast<int32_t>(both >> 32));
  }
  uint64_t* end = b.pairs + b.rows * length;
  for (std::ptrdiff_t i = 0; i < kChipSpill; ++i) end[i] = 0;
}

// As numerics::edgetpu::Softmax::reciprocal_of, of sums that are at least 1.
template <class Unit>
ChipInts chip_reciprocals(const ChipSoftmax& f, ChipInts sums) {
  constexpr int kFraction = 23, kBias = 127;  // of single precision
  const ChipFloats x = __builtin_convertvector(sums, ChipFloats) * f.per_one;
  const auto bits = reinterpret_cast<ChipInts>(x);
  const ChipInts twice = ((bits >> kFraction) - kBias) & ~1;
  const auto scale = reinterpret_cast<ChipFloats>((kBias - (twice >> 1)) << kFraction);
  const auto reduced = reinterpret_cast<ChipFloats>(bits - (twice << kFraction));
  ChipInts piece = {};
  for (const float bound : f.bounds) piece -= reinterpret_cast<ChipInts>(reduced >= bound);
  ChipFloats y = Unit::pick(f.coefficients[4], piece);
  for (int k = 3; k >= 0; --k) y = y * reduced + Unit::pick(f.coefficients[k], piece);
  const ChipInts root = Unit::nearest(y * scale);
  constexpr ChipInts kNone = {};
  const ChipInts positive = root > kNone ? root : kNone;
  const ChipInts word = positive < 65535 ? positive : kNone + 65535;
  const ChipFloats square = __builtin_convertvector(word * word, ChipFloats) * f.per_one;
  constexpr ChipFloats kZero = {};
  const ChipFloats least = square > kZero ? square : kZero;
  return Unit::nearest(least < f.largest_reciprocal ? least : kZero + f.largest_reciprocal);
}

// What rows have for themselves, to each of their elements; the last row goes on into the spill.
inline void chip_spread(ChipBlock& b, ChipInts reciprocals) {
  for (std::ptrdiff_t r = 0; r < b.rows; ++r) {
    const ChipInts reciprocal = ChipInts{} + reciprocals[r];
    const ChipFloats all = ChipFloats{} + b.nearest_sums[r];
    const std::ptrdiff_t begin = r * b.length, end = begin + b.length;
    const std::ptrdiff_t stop = r + 1 < b.rows ? end : end + kChipSpill - 8;
    for (std::ptrdiff_t i = begin; i < stop; i += 8) {
      *reinterpret_cast<ChipInts*>(b.reciprocals + i) = reciprocal;
      *reinterpret_cast<ChipFloats*>(b.all + i) = all;
    }
  }
}

struct ChipOpen {
  ChipInts ties = {}, large = {};
  uint64_t differ = 0;
};

// Both parts of eight elements. Sums of so few exponentials are floats: the quotient of two floats,
// rounded twice, to double and to single precision, is the one that is rounded once.
template <class Unit>
[[gnu::always_inline]] inline ChipSteps chip_block_steps(const ChipSoftmax& f, const ChipBlock& b,
                                                         std::ptrdiff_t i, ChipOpen& open) {
  const auto* both = reinterpret_cast<const ChipInts*>(b.pairs + i);
  const ChipInts x = __builtin_shufflevector(both[0], both[1], 0, 2, 4, 6, 8, 10, 12, 14);
  const ChipInts nearest = __builtin_shufflevector(both[0], both[1], 1, 3, 5, 7, 9, 11, 13, 15);
  const ChipFloats exact = __builtin_convertvector(nearest << 8, ChipFloats) /
                           *reinterpret_cast<const ChipFloats*>(b.all + i);
  const ChipSteps steps =
      chip_steps<Unit>(f, x, *reinterpret_cast<const ChipInts*>(b.reciprocals + i), exact);
  open.ties -= steps.tie;
  open.large -= steps.large;
  return steps;
}

// Thirty-two elements from `i` on.
template <class Unit>
[[gnu::always_inline]] inline ChipBytes chip_bytes(const ChipSoftmax& f, const ChipBlock& b,
                                                   std::ptrdiff_t i, ChipOpen& open) {
  ChipSteps steps[4];
  for (int k = 0; k < 4; ++k) steps[k] = chip_block_steps<Unit>(f, b, i + 8 * k, open);
  const ChipBytes part = Unit::bytes(steps[0].part, steps[1].part, steps[2].part, steps[3].part);
  const ChipBytes exact =
      Unit::bytes(steps[0].exact, steps[1].exact, steps[2].exact, steps[3].exact);
  open.differ += Unit::differing(part, exact);
  return (f.exact ? exact : part) ^ f.flip;
}

template <class Unit>
ChipCounts chip_softmax_rows(const ChipSoftmax& f, const uint8_t* x, std::ptrdiff_t rows,
                             std::ptrdiff_t length, uint8_t* out) {
  ChipBlock b;
  ChipOpen open;
  // Those of rows that are not there: one.
  for (std::ptrdiff_t r = 0; r < kChipRows; ++r) b.sums[r] = 1;
  const std::ptrdiff_t most = (rows < kChipRows ? rows : kChipRows) * length;
  for (std::ptrdiff_t i = 0; i < kSoftmaxSpill; ++i) b.x[most + i] = b.distances[most + i] = 0;
  b.length = length;
  for (; rows > 0; rows -= b.rows) {
    b.rows = rows < kChipRows ? rows : kChipRows;
    const std::ptrdiff_t elements = b.rows * length;
    for (std::ptrdiff_t i = 0; i < elements; ++i) b.x[i] = static_cast<uint8_t>(x[i] ^ f.flip);
    softmax_distances(b);
    chip_exponentials(f, b);
    chip_spread(b, chip_reciprocals<Unit>(f, *reinterpret_cast<const ChipInts*>(b.sums)));
    std::ptrdiff_t i = 0;
    for (; i + kChipSpill <= elements; i += kChipSpill) {
      *reinterpret_cast<ChipBytes*>(out + i) = chip_bytes<Unit>(f, b, i, open);
    }
    if (i < elements) {
      const ChipBytes last = chip_bytes<Unit>(f, b, i, open);
      for (std::ptrdiff_t k = i; k < elements; ++k) out[k] = last[k - i];
    }
    x += elements;
    out += elements;
  }
  return {chip_sum(open.ties), chip_sum(open.large), open.differ};
}

}  // namespace edgetwin::kernels::EDGETWIN_ISA_NAMESPACE

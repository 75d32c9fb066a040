// SOFTMAX of rows in fixed point, many rows at a time: what rows have for themselves (the
// largest element, the sum) is found row by row, one over the sums for all rows side by side.
// `Unit` has what the compiler does not find by itself:
//   Words8 entries(const uint32_t* table, const uint8_t* at)      table[at[i]]
//   Words8 high(Words8 x, uint32_t factor, uint64_t addend)       (x[i] * factor + addend) >> 32
//   Bytes8 bytes(Words8 x), Halves8 halves(Words8 x)              what is more saturates; x < 2^17
// Vectors may go on after the end of a row: what they write there too much, the next row replaces.
#pragma once

#include "kernels/core/row_table.h"

namespace edgetwin::kernels::EDGETWIN_ISA_NAMESPACE {

typedef uint8_t Bytes8 __attribute__((vector_size(8), aligned(1), may_alias));
typedef uint8_t Bytes16 __attribute__((vector_size(16), aligned(1), may_alias));
typedef uint16_t Halves8 __attribute__((vector_size(16), aligned(2), may_alias));
typedef uint32_t Words8 __attribute__((vector_size(32), aligned(4), may_alias));

inline constexpr std::ptrdiff_t kSoftmaxRows = 32, kSoftmaxElements = kSoftmaxLongest,
                                kSoftmaxSpill = 16;

// Rows that are computed together.
struct SoftmaxBlock {
  std::ptrdiff_t rows = 0, length = 0;
  alignas(32) uint32_t exponentials[kSoftmaxElements + kSoftmaxSpill];
  uint8_t x[kSoftmaxElements + kSoftmaxSpill];  // as unsigned numbers
  uint8_t distances[kSoftmaxElements + kSoftmaxSpill];
  uint32_t sums[kSoftmaxRows];  // shifted until the highest bit is set
  int32_t factors[kSoftmaxRows];
  int shifts[kSoftmaxRows];
};

inline Bytes16 larger_of(Bytes16 a, Bytes16 b) { return a > b ? a : b; }

// The largest of all, in each place.
inline Bytes16 softmax_most(Bytes16 x) {
  x = larger_of(
      x, __builtin_shufflevector(x, x, 8, 9, 10, 11, 12, 13, 14, 15, 0, 1, 2, 3, 4, 5, 6, 7));
  x = larger_of(
      x, __builtin_shufflevector(x, x, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 0, 1, 2, 3));
  x = larger_of(
      x, __builtin_shufflevector(x, x, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 0, 1));
  return larger_of(
      x, __builtin_shufflevector(x, x, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 0));
}

// Block: SoftmaxBlock, or one with the same elements.
template <class Block>
void softmax_distances(Block& b) {
  constexpr Bytes16 kIndex = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};
  for (std::ptrdiff_t r = 0; r < b.rows; ++r) {
    const uint8_t* x = b.x + r * b.length;
    uint8_t* distances = b.distances + r * b.length;
    Bytes16 most = {};
    for (std::ptrdiff_t k = 0; k < b.length; k += 16) {
      const std::ptrdiff_t left = b.length - k;
      const Bytes16 v = *reinterpret_cast<const Bytes16*>(x + k) &
                        (kIndex < static_cast<uint8_t>(left < 16 ? left : 16));
      most = larger_of(most, v);
    }
    most = softmax_most(most);
    for (std::ptrdiff_t k = 0; k < b.length; k += 16) {
      *reinterpret_cast<Bytes16*>(distances + k) = most - *reinterpret_cast<const Bytes16*>(x + k);
    }
  }
}

// Of a row, in steps of 2^-19.
inline uint32_t softmax_sum(const uint32_t* exponentials, std::ptrdiff_t length) {
  constexpr Words8 kIndex = {0, 1, 2, 3, 4, 5, 6, 7};
  Words8 sums = {};
  for (std::ptrdiff_t k = 0; k < length; k += 8) {
    const auto left = static_cast<uint32_t>(length - k);
    const Words8 steps = (*reinterpret_cast<const Words8*>(exponentials + k) + (1U << 11)) >> 12U;
    sums += steps & reinterpret_cast<Words8>(kIndex < left);
  }
  sums += __builtin_shufflevector(sums, sums, 4, 5, 6, 7, 0, 1, 2, 3);
  sums += __builtin_shufflevector(sums, sums, 2, 3, 0, 1, 6, 7, 4, 5);
  return sums[0] + sums[1];
}

// (a * b + 2^30) >> 31.
[[gnu::always_inline]] inline int32_t rounded_product(int32_t a, int32_t b) {
  return static_cast<int32_t>(static_cast<uint64_t>(int64_t{a} * b + (int64_t{1} << 30)) >> 31);
}

// 1/s in Q0.31 for s = sums / 2^31, from 1 to below 2: as numerics::reciprocal_one_plus. Only its
// last step may saturate.
inline void softmax_reciprocals(SoftmaxBlock& b) {
  for (std::ptrdiff_t r = 0; r < kSoftmaxRows; ++r) {
    const auto half = static_cast<int32_t>(b.sums[r] >> 1);
    int32_t y = 1515870810 + rounded_product(half, -1010580540);
    for (int i = 0; i < 3; ++i) {
      y += rounded_product(y, (1 << 29) - rounded_product(half, y)) * 4;
    }
    constexpr int32_t kBelowOne = (1 << 30) - 1;
    b.factors[r] = y > kBelowOne ? INT32_MAX : y * 2;
  }
}

template <class Unit>
void softmax_sums(const SoftmaxRows& f, SoftmaxBlock& b) {
  const std::ptrdiff_t elements = b.rows * b.length;
  for (std::ptrdiff_t i = 0; i < elements; i += 8) {
    *reinterpret_cast<Words8*>(b.exponentials + i) = Unit::entries(f.exponentials, b.distances + i);
  }
  for (std::ptrdiff_t r = 0; r < b.rows; ++r) {
    const uint32_t sum = softmax_sum(b.exponentials + r * b.length, b.length);
    const int headroom = __builtin_clz(sum);
    b.sums[r] = sum << headroom;
    b.shifts[r] = 12 - headroom + 31 - f.out_bits;
  }
}

// As row_portions(), whose two divisions are one here.
template <class Unit>
void softmax_portions(const SoftmaxRows& f, const SoftmaxBlock& b, std::ptrdiff_t row,
                      uint8_t* to) {
  const uint32_t* x = b.exponentials + row * b.length;
  const auto factor = static_cast<uint32_t>(b.factors[row]);
  constexpr int kMostShift = 31;  // beyond it everything rounds to 0
  const int shift = b.shifts[row] > kMostShift ? kMostShift : b.shifts[row];
  const uint32_t kept = b.shifts[row] > kMostShift ? 0 : ~uint32_t{0};
  const uint64_t addend = (uint64_t{1} << 30) + (uint64_t{1} << (30 + shift));
  const auto halves_flip = static_cast<uint16_t>(f.is_signed ? 0x8000 : 0);
  const auto bytes_flip = static_cast<uint8_t>(f.is_signed ? 0x80 : 0);
  for (std::ptrdiff_t k = 0; k < b.length; k += 8) {
    const Words8 v = *reinterpret_cast<const Words8*>(x + k);
    const Words8 y = Unit::high(v & kept, factor, addend) >> static_cast<uint32_t>(shift - 1);
    if (f.out_bits == 8) {
      *reinterpret_cast<Bytes8*>(to + k) = Unit::bytes(y) ^ bytes_flip;
    } else {
      *reinterpret_cast<Halves8*>(to + 2 * k) = Unit::halves(y) ^ halves_flip;
    }
  }
}

template <class Unit>
void softmax_rows(const SoftmaxRows& f, const uint8_t* x, std::ptrdiff_t rows,
                  std::ptrdiff_t length, uint8_t* out) {
  const uint8_t flip = f.is_signed ? 0x80 : 0;
  const std::ptrdiff_t out_size = f.out_bits / 8;
  SoftmaxBlock b;
  uint8_t results[2 * (kSoftmaxElements + kSoftmaxSpill)];
  // Those of rows that are not there: one.
  for (std::ptrdiff_t i = 0; i < kSoftmaxRows; ++i) b.sums[i] = uint32_t{1} << 31;
  b.length = length;
  const std::ptrdiff_t fitting = kSoftmaxElements / length;
  const std::ptrdiff_t most = fitting < kSoftmaxRows ? fitting : kSoftmaxRows;
  const std::ptrdiff_t first = (rows < most ? rows : most) * length;
  for (std::ptrdiff_t i = 0; i < kSoftmaxSpill; ++i) b.x[first + i] = b.distances[first + i] = 0;
  for (; rows > 0; rows -= b.rows) {
    b.rows = rows < most ? rows : most;
    const std::ptrdiff_t elements = b.rows * length;
    for (std::ptrdiff_t i = 0; i < elements; ++i) b.x[i] = static_cast<uint8_t>(x[i] ^ flip);
    softmax_distances(b);
    softmax_sums<Unit>(f, b);
    softmax_reciprocals(b);
    for (std::ptrdiff_t r = 0; r < b.rows; ++r) {
      softmax_portions<Unit>(f, b, r, results + r * length * out_size);
    }
    for (std::ptrdiff_t i = 0; i < elements * out_size; ++i) out[i] = results[i];
    x += elements;
    out += elements * out_size;
  }
}

}  // namespace edgetwin::kernels::EDGETWIN_ISA_NAMESPACE

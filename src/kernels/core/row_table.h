// What an instruction set supplies for operators that work on rows of bytes, and for LOGISTIC
// and TANH of 16 bits. Included by files for one instruction set: nothing of the C++ library here
// (table8.h).
#pragma once

#include <cstddef>
#include <cstdint>

namespace edgetwin::kernels {

// A part of a whole, both in Q0.31 and not negative: min((((x * factor + 2^30) >> 31) + half) >>
// shift, most) + lowest, where half = 2^(shift - 1) and 1 <= shift <= 31.
struct RowPortion {
  uint32_t factor = 0;
  int shift = 1;
  int32_t most = 0, lowest = 0;
};

// An element becomes v = (x * multiplier + half) >> shift, with half = 2^(shift - 1), or 0 without
// a shift. |v| >> fraction_bits, at most 255, is an entry of `table`, whose upper 16 bits are the
// value there and whose lower ones, at most 15 bits, lead to the next: r. The result is
// ((v >= 0 ? r : 2^(16 + fraction_bits) - 1 - r) + offset) >> result_bits.
struct Sigmoid16 {
  const uint32_t* table = nullptr;  // 256
  int32_t multiplier = 0;           // of at most 15 bits
  int shift = 0;                    // at most 31
  int fraction_bits = 9, result_bits = 10;
  int32_t offset = 0;
};

// SOFTMAX of bytes in fixed point: an element's exponential is that of its distance from the
// largest element of its row, its result that part of their sum as a number of `out_bits`.
// Nothing is left of the parts of a sum of 512 and more.
inline constexpr std::ptrdiff_t kSoftmaxLongest = 2048;
struct SoftmaxRows {
  const uint32_t* exponentials = nullptr;  // 256, in Q0.31; that of distance 0 is 2^31 - 1
  int out_bits = 8;                        // or 16
  bool is_signed = false;                  // elements and results
};

// Parts of a whole on the Edge TPU: p = (float) (x * reciprocal) * multiplier, within low and high,
// to the nearest integer, ties to even, and `zero` more, as a byte. The exact part beside it is
// that of (float) (256.0 * nearest / all).
struct ChipPortion {
  int32_t reciprocal = 0;                   // products with it stay below 2^31
  float multiplier = 0, low = 0, high = 0;  // limits within -2^22 and 2^22
  int32_t zero = 0;
  double all = 1;
  bool exact = false;  // the exact part is the result
  uint8_t flip = 0;    // 0x80 for signed results
};

// A row whose elements are counted by their numbers, unsigned here. All arrays are indexed by these
// numbers: exponentials (at most 65535) and the nearest ones are 0 beyond the largest element. Only
// numbers from `begin` to `end`, multiples of 32, are looked at.
struct ChipRow {
  const int32_t* exponentials = nullptr;
  const int32_t* nearest = nullptr;
  uint32_t* counts = nullptr;
  std::ptrdiff_t begin = 0, end = 256;
};
inline constexpr std::ptrdiff_t kChipPart = 65528;  // elements whose sums have 32 bits
struct ChipSums {
  uint32_t chip = 0, nearest = 0;
};

// SOFTMAX of short rows there: the chip's exponential of a distance from the largest element, and
// the nearest one << 32; a table of 46340 over a root (polynomials piece by piece) that gives one
// over a sum; and the last step as in ChipPortion, whose exact part beside it is the quotient of
// the nearest exponentials.
inline constexpr std::ptrdiff_t kChipRowLongest = 256;
struct ChipSoftmax {
  const uint64_t* exponentials = nullptr;  // 256, each at most 65535; that of distance 0 is not 0
  float coefficients[5][8] = {};           // of x^0, x^1, ... of each piece
  float bounds[7] = {};                    // where the next piece begins, ascending
  float per_one = 0, largest_reciprocal = 0;
  float multiplier = 0, low = 0, high = 0;
  int32_t zero = 0;
  bool exact = false;
  uint8_t flip = 0;
};
// How many elements of rows are ties, products that are no floats, and have two different parts.
struct ChipCounts {
  uint64_t ties = 0, large = 0, differ = 0;
};

struct RowTable {
  // Of at least one byte; the number, not its code.
  int32_t (*largest)(const uint8_t* x, std::ptrdiff_t count, bool is_signed);
  // Of the elements less `zero`, a number of the type; it wraps.
  int32_t (*squares)(const uint8_t* x, std::ptrdiff_t count, int32_t zero, bool is_signed);
  void (*portions)(const RowPortion& portion, const uint32_t* x, std::ptrdiff_t count,
                   int32_t* out);
  void (*sigmoid16)(const Sigmoid16& function, const int16_t* x, std::ptrdiff_t count,
                    int16_t* out);
  // `rows` rows of `length` elements each, 1 to kSoftmaxLongest, one after the other.
  void (*softmax)(const SoftmaxRows& function, const uint8_t* x, std::ptrdiff_t rows,
                  std::ptrdiff_t length, uint8_t* out);
  // The sums of at most kChipPart elements, which are added to the row's counts.
  ChipSums (*chip_sums)(const ChipRow& row, const uint8_t* x, std::ptrdiff_t count, uint8_t flip);
  // The results of the row by the byte of an element, 256, and what is open of its elements.
  ChipCounts (*chip_results)(const ChipPortion& portion, const ChipRow& row, uint8_t* results);
  // `rows` rows of `length` elements each, 1 to kChipRowLongest, one after the other; fewer than
  // 2^31 elements.
  ChipCounts (*chip_softmax)(const ChipSoftmax& function, const uint8_t* x, std::ptrdiff_t rows,
                             std::ptrdiff_t length, uint8_t* out);
};

}  // namespace edgetwin::kernels

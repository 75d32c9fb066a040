// What an instruction set supplies for sums, differences and products of two operands. Included by
// files for one instruction set: nothing of the C++ library here (table8.h).
#pragma once

#include <cstddef>
#include <cstdint>

namespace edgetwin::kernels {

// (((x << left) * multiplier + addend) >> 32, less one where x is negative and `sign` is 31)
// >> right.
struct FixedStage {
  int32_t multiplier = 0;
  int32_t left = 0, right = 0;
  int32_t sign = 32;
  int64_t addend = 0;
};

enum class PairForm : uint8_t {
  halves,         // out(a(x) + b(y)) or, less_b, out(a(x) - b(y))
  product,        // out(x * y)
                  // words
  float_sum,      // weights, and the product in single precision
  float_product,  // of x * y
  less_product    // out(x * y) as -out.multiplier times -(x * y), whose shift fits for all words
};

// x and y are elements less their zero points.
struct PairConstants {
  PairForm form = PairForm::halves;
  int element_bytes = 1;  // 1 or 2; floats only 1
  int32_t mask = -1;      // 255 for uint8
  bool less_b = false;
  int32_t zero_a = 0, zero_b = 0, zero_out = 0, low = 0, high = 0;
  FixedStage a, b, out;
  int32_t weight_a = 0, weight_b = 0, number = 0;
  float factor = 0.0F, float_low = 0.0F, float_high = 0.0F;
  int64_t* ties = nullptr;  // of floats, counted by several threads
};

// `count` elements side by side; a step of 0 repeats the operand's first element.
struct PairRun {
  const std::byte* a = nullptr;
  const std::byte* b = nullptr;
  std::byte* out = nullptr;
  std::ptrdiff_t count = 0;
  int step_a = 1, step_b = 1;
};

using PairKernel = void (*)(const PairConstants& constants, const PairRun& run);

// A shorter way to the same bytes, where all pairs of bytes were tried (elements/byte_pairs.h). x
// and y are the elements, less 128 where they are unsigned.
struct BytePairs {
  static constexpr int element_bytes = 1;
  bool product = false;
  uint8_t flip = 0;  // 0x80 for unsigned elements and results
  // A sum: (x * weight_a + y * weight_b + addend) >> shift, within 32 bits for all x and y; the
  // weights are within 23 bits.
  int32_t weight_a = 0, weight_b = 0, addend = 0, shift = 0;
  // A product: (x - zero_a) * (y - zero_b) * factor in single precision, `bias` further from zero,
  // to the nearest integer, ties to even, and zero_out more.
  int32_t zero_a = 0, zero_b = 0, zero_out = 0;
  float factor = 0.0F, bias = 0.0F;
  int32_t low = 0, high = 0;  // of the result, less 128 where it is unsigned
};

using BytePairKernel = void (*)(const BytePairs& constants, const PairRun& run);

}  // namespace edgetwin::kernels

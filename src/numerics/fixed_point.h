// The fixed-point vocabulary of the TensorFlow Lite kernels: multipliers in Q0.31 and what is done
// with them. Source: the kernel specification, sections 1.2 to 1.4 (docs/numerics.md, chapter 1).
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>

#include "numerics/rounding.h"
#include "numerics/saturate.h"

namespace edgetwin::numerics {

// The two ways TensorFlow Lite can be built; they differ in the last bit of about one result in a
// thousand.
enum class Requantization : uint8_t { double_rounding, single_rounding };

// real multiplier = multiplier * 2^(shift - 31); a positive shift is a left shift.
struct QuantizedMultiplier {
  int32_t multiplier = 0;
  int shift = 0;
  bool operator==(const QuantizedMultiplier&) const = default;
};

// Section 1.2. `m` must be finite; values below 2^-32 become 0. In single rounding values of 2^30
// and above become the largest representable.
inline QuantizedMultiplier quantize_multiplier(double m, Requantization r) {
  if (m == 0.0) return {0, 0};
  int exponent = 0;
  const double fraction = std::frexp(m, &exponent);
  int64_t q = std::llround(fraction * static_cast<double>(int64_t{1} << 31));
  if (q == int64_t{1} << 31) {
    q /= 2;
    ++exponent;
  }
  if (exponent < -31) return {0, 0};
  if (r == Requantization::single_rounding && exponent > 30) {
    return {std::numeric_limits<int32_t>::max(), 30};
  }
  return {static_cast<int32_t>(q), exponent};
}

// Section 1.3: the high half of 2ab; the one overflow saturates. The nudge of the formula depends
// on the sign, but the division truncates: together they round ties up, floor((ab + 2^30) / 2^31).
constexpr int32_t saturating_rounding_doubling_high_mul(int32_t a, int32_t b) {
  constexpr int32_t lowest = std::numeric_limits<int32_t>::min();
  if (a == lowest && b == lowest) return std::numeric_limits<int32_t>::max();
  const int64_t product = int64_t{a} * b;
  const int64_t nudge = product >= 0 ? (int64_t{1} << 30) : 1 - (int64_t{1} << 30);
  return static_cast<int32_t>((product + nudge) / (int64_t{1} << 31));
}

constexpr int16_t saturating_rounding_doubling_high_mul(int16_t a, int16_t b) {
  constexpr int16_t lowest = std::numeric_limits<int16_t>::min();
  if (a == lowest && b == lowest) return std::numeric_limits<int16_t>::max();
  const int32_t product = int32_t{a} * b;
  const int32_t nudge = product >= 0 ? (1 << 14) : 1 - (1 << 14);
  return static_cast<int16_t>((product + nudge) / (1 << 15));
}

// x / 2^exponent, ties away from zero, 0 <= exponent <= 31.
constexpr int32_t rounding_divide_by_pot(int32_t x, int exponent) {
  return static_cast<int32_t>(half_away_shift(x, exponent));
}

// x * 2^exponent: to the left saturating, to the right as rounding_divide_by_pot.
constexpr int32_t saturating_rounding_multiply_by_pot(int32_t x, int exponent) {
  if (exponent < 0) return rounding_divide_by_pot(x, -exponent);
  if (exponent >= 32)
    return x == 0 ? 0
                  : (x > 0 ? std::numeric_limits<int32_t>::max()
                           : std::numeric_limits<int32_t>::min());
  return saturate<int32_t>(int64_t{x} * (int64_t{1} << exponent));
}

// Section 1.4, double rounding. The left shift wraps, as the reference kernels do in practice.
constexpr int32_t multiply_double_rounding(int32_t x, QuantizedMultiplier m) {
  const int left = m.shift > 0 ? m.shift : 0;
  const int right = m.shift > 0 ? 0 : -m.shift;
  const int32_t shifted = left >= 32 ? 0 : wrapping_shift_left(x, left);
  return rounding_divide_by_pot(saturating_rounding_doubling_high_mul(shifted, m.multiplier),
                                right);
}

// Section 1.4, single rounding: ties toward plus infinity. Needs multiplier >= 0 and
// -31 <= shift <= 30. The result is cut to 32 bits, as the reference does.
constexpr int32_t multiply_single_rounding(int32_t x, QuantizedMultiplier m) {
  const int total = 31 - m.shift;
  const int64_t rounded = int64_t{x} * m.multiplier + (int64_t{1} << (total - 1));
  return static_cast<int32_t>(rounded >> total);
}

template <Requantization R>
constexpr int32_t multiply_by_quantized_multiplier(int32_t x, QuantizedMultiplier m) {
  if constexpr (R == Requantization::double_rounding) return multiply_double_rounding(x, m);
  return multiply_single_rounding(x, m);
}

// Section 1.4, the 48-bit accumulator of 16-bit activations; the same in both builds.
// -2^47 <= x < 2^47, -31 <= shift < 8.
constexpr int32_t multiply_wide(int64_t x, QuantizedMultiplier m) {
  const int64_t reduced = m.multiplier < 0x7FFF0000 ? (m.multiplier + (1 << 15)) >> 16 : 0x7FFF;
  const int total = 15 - m.shift;
  return static_cast<int32_t>((x * reduced + (int64_t{1} << (total - 1))) >> total);
}

constexpr int count_leading_zeros(uint32_t x) { return std::countl_zero(x); }

}  // namespace edgetwin::numerics

// Fixed-point arithmetic of the TFLite reference kernels with double rounding, written down a
// second time on purpose: nothing here comes from edgetwin's own numerics, so agreement between the
// two is evidence.
#pragma once

#include <cstdint>

namespace edgetwin::digits {

// A real multiplier as mantissa * 2^(shift - 31).
struct Multiplier {
  std::int32_t mantissa = 0;
  int shift = 0;
};

Multiplier make_multiplier(double real);

// a * b / 2^31, nearest, ties towards plus infinity, saturating.
std::int32_t high_product(std::int32_t a, std::int32_t b);

// x / 2^exponent, nearest, ties away from zero; 0 <= exponent <= 31.
std::int32_t divide_by_power(std::int32_t x, int exponent);

// x * 2^exponent: saturating to the left, rounding to the right.
std::int32_t scale_by_power(std::int32_t x, int exponent);

// x * multiplier in two rounding steps.
std::int32_t apply(std::int32_t x, Multiplier multiplier);

// exp(a) for a <= 0 in Q5.26; result in Q0.31.
std::int32_t exp_of_negative(std::int32_t a);

// 1 / (1 + x) for x in [0, 1); both in Q0.31.
std::int32_t reciprocal_of_one_plus(std::int32_t x);

}  // namespace edgetwin::digits

// exp, 1/(1+x), logistic, tanh and 1/sqrt in fixed point, as the TensorFlow Lite kernels compute
// them. Source: kernel specification 3.12 and 4.1.
//
// Notation: a value "in Qn" is an int32 with n integer bits: real = raw / 2^(31-n). The product of
// Qa and Qb is saturating_rounding_doubling_high_mul and lies in Q(a+b); "rescaled from Qj to Qk"
// is saturating_rounding_multiply_by_pot(raw, j - k).
#pragma once

#include <array>
#include <cstdint>
#include <limits>

#include "numerics/fixed_point.h"

namespace edgetwin::numerics {

inline constexpr int32_t kQ0One = std::numeric_limits<int32_t>::max();  // 1 - 2^-31

constexpr int32_t fixed_mul(int32_t a, int32_t b) {
  return saturating_rounding_doubling_high_mul(a, b);
}

// exp(r) for r in [-1/4, 0), Q0 to Q0: a polynomial of fourth degree around -1/8.
constexpr int32_t exp_quarter(int32_t r) {
  constexpr int32_t kExpMinusEighth = 1895147668;  // exp(-1/8) in Q0
  constexpr int32_t kThird = 715827883;            // 1/3 in Q0
  const int32_t x = wrapping_add(r, 1 << 28);
  const int32_t x2 = fixed_mul(x, x);
  const int32_t x3 = fixed_mul(x2, x);
  const int32_t x4 = fixed_mul(x2, x2);
  const int32_t x4_over_4 = rounding_divide_by_pot(x4, 2);
  const int32_t t =
      rounding_divide_by_pot(wrapping_add(fixed_mul(wrapping_add(x4_over_4, x3), kThird), x2), 1);
  return wrapping_add(kExpMinusEighth, fixed_mul(kExpMinusEighth, wrapping_add(x, t)));
}

// exp(a) in Q0 for a <= 0 in Q<n>: the last quarter by the polynomial, every bit above it by one
// factor exp(-2^e).
template <int n>
constexpr int32_t exp_on_negative(int32_t a) {
  constexpr std::array<int32_t, 7> kFactor = {1672461947, 1302514674, 790015084, 290630308,
                                              39332535,   720401,     242};
  constexpr int32_t kQuarter = 1 << (31 - n - 2);
  const int32_t r = wrapping_sub(a & (kQuarter - 1), kQuarter);
  const int32_t rest = wrapping_sub(r, a);
  int32_t result = exp_quarter(saturating_rounding_multiply_by_pot(r, n));
  for (int e = -2; e <= 4; ++e) {
    if (n <= e) break;
    if ((rest & static_cast<int32_t>(uint32_t{1} << (31 - n + e))) != 0) {
      result = fixed_mul(result, kFactor[static_cast<size_t>(e + 2)]);
    }
  }
  if constexpr (n > 5) {
    if (a < -(32 << (31 - n))) return 0;
  }
  return a == 0 ? kQ0One : result;
}

// Newton's iteration for 2/(1+x) in Q2, x in Q0 in [0, 1).
constexpr int32_t two_over_one_plus(int32_t x) {
  const int64_t sum = int64_t{x} + kQ0One;
  const auto half = static_cast<int32_t>((sum + (sum >= 0 ? 1 : -1)) / 2);
  constexpr int32_t k48Over17 = 1515870810;
  constexpr int32_t kMinus32Over17 = -1010580540;
  int32_t y = wrapping_add(k48Over17, fixed_mul(half, kMinus32Over17));
  for (int i = 0; i < 3; ++i) {
    const int32_t error = wrapping_sub(1 << 29, fixed_mul(half, y));
    y = wrapping_add(y, saturating_rounding_multiply_by_pot(fixed_mul(y, error), 2));
  }
  return y;
}

// 1/(1+x), Q0 to Q0. The halved Q2 value is Q1; Q1 to Q0 is one shift.
constexpr int32_t reciprocal_one_plus(int32_t x) {
  return saturating_rounding_multiply_by_pot(two_over_one_plus(x), 1);
}

// (1-x)/(1+x) = 2/(1+x) - 1, Q0 to Q0.
constexpr int32_t one_minus_over_one_plus(int32_t x) {
  return saturating_rounding_multiply_by_pot(wrapping_sub(two_over_one_plus(x), 1 << 29), 2);
}

// 1/(1+exp(-a)), Q<n> to Q0.
template <int n>
constexpr int32_t fixed_logistic(int32_t a) {
  if (a == 0) return 1 << 30;
  const int32_t magnitude = a > 0 ? wrapping_sub(0, a) : a;
  const int32_t p = reciprocal_one_plus(exp_on_negative<n>(magnitude));
  return a > 0 ? p : wrapping_sub(kQ0One, p);
}

// tanh(a), Q<n> to Q0: the exponent is doubled by reading the same bits as Q<n+1>.
template <int n>
constexpr int32_t fixed_tanh(int32_t a) {
  if (a == 0) return 0;
  const int32_t magnitude = a > 0 ? wrapping_sub(0, a) : a;
  const int32_t t = one_minus_over_one_plus(exp_on_negative<n + 1>(magnitude));
  return a > 0 ? t : wrapping_sub(0, t);
}

struct Reciprocal {
  int32_t value;  // Q0
  int over;       // how far the argument exceeded one, as a power of two
};

// 1/x for x > 0 with k integer bits.
constexpr Reciprocal reciprocal(int32_t x, int k) {
  const int headroom = count_leading_zeros(static_cast<uint32_t>(x));
  const uint32_t shifted = static_cast<uint32_t>(x) << headroom;
  return {reciprocal_one_plus(static_cast<int32_t>(shifted - (uint32_t{1} << 31))), k - headroom};
}

// 1/sqrt(v), v >= 0 (section 3.12). Five Newton steps in Q3.
constexpr QuantizedMultiplier inverse_sqrt(int32_t v) {
  if (v <= 1) return {std::numeric_limits<int32_t>::max(), 0};
  int shift = 11;
  while (v >= 1 << 29) {
    v /= 4;
    ++shift;
  }
  const int pairs = (count_leading_zeros(static_cast<uint32_t>(v)) - 1) / 2 - 1;
  shift -= pairs;
  v = wrapping_shift_left(v, 2 * pairs);
  const int32_t half = rounding_divide_by_pot(v >> 1, 1);
  constexpr int32_t kOneAndHalf = (1 << 28) + (1 << 27);
  int32_t x = 1 << 28;
  for (int i = 0; i < 5; ++i) {
    const int32_t cube = saturating_rounding_multiply_by_pot(fixed_mul(fixed_mul(x, x), x), 6);
    const int32_t step = wrapping_sub(fixed_mul(kOneAndHalf, x), fixed_mul(half, cube));
    x = saturating_rounding_multiply_by_pot(step, 3);
  }
  constexpr int32_t kHalfSqrt2 = 1518500250;
  int32_t multiplier = fixed_mul(x, kHalfSqrt2);
  if (shift < 0) {
    multiplier = wrapping_shift_left(multiplier, -shift);
    shift = 0;
  }
  return {multiplier, -shift};
}

}  // namespace edgetwin::numerics

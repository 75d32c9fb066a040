#include "reference_math.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace edgetwin::digits {
namespace {

constexpr std::int32_t kMax = std::numeric_limits<std::int32_t>::max();
constexpr std::int32_t kMin = std::numeric_limits<std::int32_t>::min();
constexpr int kIntegerBits = 5;  // of the exponential's argument

}  // namespace

Multiplier make_multiplier(double real) {
  if (real == 0.0) return {};
  int exponent = 0;
  const double fraction = std::frexp(real, &exponent);
  auto mantissa = static_cast<std::int64_t>(std::round(fraction * 2147483648.0));
  if (mantissa == std::int64_t{1} << 31) {
    mantissa /= 2;
    ++exponent;
  }
  if (exponent < -31) return {};
  return {static_cast<std::int32_t>(mantissa), exponent};
}

std::int32_t high_product(std::int32_t a, std::int32_t b) {
  if (a == kMin && b == kMin) return kMax;
  const std::int64_t product = static_cast<std::int64_t>(a) * b;
  const std::int64_t half = product >= 0 ? std::int64_t{1} << 30 : 1 - (std::int64_t{1} << 30);
  return static_cast<std::int32_t>((product + half) / (std::int64_t{1} << 31));
}

std::int32_t divide_by_power(std::int32_t x, int exponent) {
  const auto mask = static_cast<std::int32_t>((std::int64_t{1} << exponent) - 1);
  const std::int32_t remainder = x & mask;
  const std::int32_t threshold = (mask >> 1) + (x < 0 ? 1 : 0);
  return (x >> exponent) + (remainder > threshold ? 1 : 0);
}

std::int32_t scale_by_power(std::int32_t x, int exponent) {
  if (exponent <= 0) return divide_by_power(x, -exponent);
  const std::int64_t wide = static_cast<std::int64_t>(x) * (std::int64_t{1} << exponent);
  return static_cast<std::int32_t>(std::clamp<std::int64_t>(wide, kMin, kMax));
}

std::int32_t apply(std::int32_t x, Multiplier multiplier) {
  const int left = std::max(multiplier.shift, 0);
  const int right = std::max(-multiplier.shift, 0);
  const std::int64_t wide = static_cast<std::int64_t>(x) * (std::int64_t{1} << left);
  return divide_by_power(high_product(static_cast<std::int32_t>(wide), multiplier.mantissa), right);
}

std::int32_t exp_of_negative(std::int32_t a) {
  if (a == 0) return kMax;
  // Split a = -(multiples of 1/4) + r with r in [-1/4, 0).
  constexpr std::int32_t kQuarter = 1 << (31 - kIntegerBits - 2);
  const std::int32_t rest = (a & (kQuarter - 1)) - kQuarter;
  const std::int32_t multiples = rest - a;
  // A polynomial around -1/8.
  const std::int32_t x = scale_by_power(rest, kIntegerBits) + (1 << 28);
  const std::int32_t x2 = high_product(x, x);
  const std::int32_t x3 = high_product(x2, x);
  const std::int32_t x4 = high_product(x2, x2);
  const std::int32_t third = high_product(divide_by_power(x4, 2) + x3, 715827883);
  const std::int32_t tail = divide_by_power(third + x2, 1);
  std::int32_t result = 1895147668 + high_product(1895147668, x + tail);
  // One factor exp(-2^e) per set bit of the multiples, e = -2 .. 4.
  constexpr std::int32_t kFactors[] = {1672461947, 1302514674, 790015084, 290630308,
                                       39332535,   720401,     242};
  int bit = 31 - kIntegerBits - 2;
  for (const std::int32_t factor : kFactors) {
    if (((multiples >> bit) & 1) != 0) result = high_product(result, factor);
    ++bit;
  }
  return result;
}

std::int32_t reciprocal_of_one_plus(std::int32_t x) {
  const std::int64_t sum = static_cast<std::int64_t>(x) + kMax;
  const auto half_sum = static_cast<std::int32_t>((sum + (sum >= 0 ? 1 : -1)) / 2);
  // Newton's iteration for 1 / half_sum, in Q2.29.
  std::int32_t y = 1515870810 + high_product(half_sum, -1010580540);
  for (int i = 0; i < 3; ++i) {
    const std::int32_t error = (1 << 29) - high_product(half_sum, y);
    y += scale_by_power(high_product(y, error), 2);
  }
  return scale_by_power(y, 1);
}

}  // namespace edgetwin::digits

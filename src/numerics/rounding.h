// Every way in which this program rounds, by name. No operator rounds in any other way: what a
// target does is one of these, or a composition of them that its numerics spell out.
//
// Integer forms take the exact quotient x / 2^exponent; float forms the exact value.
#pragma once

#include <cmath>
#include <cstdint>

namespace edgetwin::numerics {

enum class Rounding : uint8_t {
  truncate,   // toward zero
  floor,      // toward minus infinity: an arithmetic shift
  half_up,    // to nearest, ties toward plus infinity: floor(x + 1/2)
  half_away,  // to nearest, ties away from zero: C's round()
  half_even,  // to nearest, ties to the even integer: IEEE 754's default
};

constexpr int64_t floor_shift(int64_t x, int exponent) { return x >> exponent; }

constexpr int64_t truncating_shift(int64_t x, int exponent) { return x / (int64_t{1} << exponent); }

constexpr int64_t half_up_shift(int64_t x, int exponent) {
  return exponent == 0 ? x : (x + (int64_t{1} << (exponent - 1))) >> exponent;
}

constexpr int64_t half_away_shift(int64_t x, int exponent) {
  const int64_t mask = (int64_t{1} << exponent) - 1;
  const int64_t threshold = (mask >> 1) + (x < 0 ? 1 : 0);
  return (x >> exponent) + ((x & mask) > threshold ? 1 : 0);
}

constexpr int64_t half_even_shift(int64_t x, int exponent) {
  if (exponent == 0) return x;
  const int64_t half = int64_t{1} << (exponent - 1);
  const int64_t quotient = x >> exponent;
  const int64_t remainder = x & ((int64_t{1} << exponent) - 1);
  return quotient + (remainder > half || (remainder == half && (quotient & 1) != 0) ? 1 : 0);
}

// x / 2^exponent with 0 <= exponent <= 62; |x| + 2^exponent must fit 63 bits.
constexpr int64_t rounding_shift(int64_t x, int exponent, Rounding rounding) {
  switch (rounding) {
    case Rounding::truncate:
      return truncating_shift(x, exponent);
    case Rounding::floor:
      return floor_shift(x, exponent);
    case Rounding::half_up:
      return half_up_shift(x, exponent);
    case Rounding::half_away:
      return half_away_shift(x, exponent);
    case Rounding::half_even:
      return half_even_shift(x, exponent);
  }
  return 0;
}

// Float to integral float. half_even relies on the default rounding mode of the environment, which
// nothing in this program changes.
template <class Float>
Float round_float(Float x, Rounding rounding) {
  switch (rounding) {
    case Rounding::truncate:
      return std::trunc(x);
    case Rounding::floor:
      return std::floor(x);
    case Rounding::half_up:
      return std::floor(x + Float{0.5});
    case Rounding::half_away:
      return std::round(x);
    case Rounding::half_even:
      return std::nearbyint(x);
  }
  return x;
}

}  // namespace edgetwin::numerics

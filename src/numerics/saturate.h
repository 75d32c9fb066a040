// Narrowing that says what happens outside the range.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>

namespace edgetwin::numerics {

// x limited to the range of To.
template <class To, class From>
constexpr To saturate(From x) {
  constexpr auto low = static_cast<From>(std::numeric_limits<To>::min());
  constexpr auto high = static_cast<From>(std::numeric_limits<To>::max());
  return static_cast<To>(std::clamp(x, low, high));
}

// x limited to the range of a signed integer of `bits` bits (the 20- and 40-bit lanes of the
// ESP32-S3, the 4-, 2- and 1-bit weights of the MAX7800x).
constexpr int64_t saturate_bits(int64_t x, int bits) {
  const int64_t high = (int64_t{1} << (bits - 1)) - 1;
  return std::clamp(x, -high - 1, high);
}

// A float that may be out of range or not a number, to an integer in [low, high]; NaN gives low.
template <class Float>
constexpr int32_t saturate_float(Float x, int32_t low, int32_t high) {
  if (!(x > static_cast<Float>(low))) return low;
  if (!(x < static_cast<Float>(high))) return high;
  return static_cast<int32_t>(x);
}

// Two's complement addition, subtraction and multiplication: the wrap is meant.
constexpr int32_t wrapping_add(int32_t a, int32_t b) {
  return static_cast<int32_t>(static_cast<uint32_t>(a) + static_cast<uint32_t>(b));
}
constexpr int32_t wrapping_sub(int32_t a, int32_t b) {
  return static_cast<int32_t>(static_cast<uint32_t>(a) - static_cast<uint32_t>(b));
}
constexpr int32_t wrapping_mul(int32_t a, int32_t b) {
  return static_cast<int32_t>(static_cast<uint32_t>(a) * static_cast<uint32_t>(b));
}
constexpr int32_t wrapping_shift_left(int32_t x, int bits) {
  return static_cast<int32_t>(static_cast<uint32_t>(x) << bits);
}

}  // namespace edgetwin::numerics

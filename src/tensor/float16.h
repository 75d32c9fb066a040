// IEEE 754 half precision, read only.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>

namespace edgetwin {

inline float half_to_float(uint16_t half) {
  const uint32_t sign = uint32_t{half & 0x8000U} << 16;
  const int exponent = half >> 10 & 0x1F;
  const uint32_t fraction = half & 0x3FFU;
  if (exponent == 0) {
    const float magnitude = std::ldexp(static_cast<float>(fraction), -24);
    return sign ? -magnitude : magnitude;
  }
  if (exponent == 31) return std::bit_cast<float>(sign | 0x7F800000U | fraction << 13);
  return std::bit_cast<float>(sign | static_cast<uint32_t>(exponent + 112) << 23 | fraction << 13);
}

}  // namespace edgetwin

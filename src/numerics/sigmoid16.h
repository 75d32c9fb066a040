// LOGISTIC and TANH on 16 bits by interpolation in the table. Source: kernel specification 4.5.
#pragma once

#include <cmath>
#include <cstdint>
#include <cstdlib>

#include "numerics/sigmoid_table.h"

namespace edgetwin::numerics {

// How the input becomes 3.12 fixed point times 3: v = (x * multiplier + half) >> left.
struct Input16 {
  int32_t multiplier = 0;
  int left = 0;  // a right shift; the vendor's name
};

constexpr int32_t scale_input16(int16_t x, Input16 in) {
  const int64_t half = in.left > 0 ? int64_t{1} << (in.left - 1) : 0;
  return static_cast<int32_t>((int64_t{x} * in.multiplier + half) >> in.left);
}

// A general input scale: 12288 * scale, doubled as long as it fits 15 bits.
inline Input16 general_input16(float scale) {
  double m = static_cast<double>(scale) * 4096.0 * 3.0;
  int left = 0;
  while (m <= 32767.0 / 2.0 && left <= 30) {
    m *= 2.0;
    ++left;
  }
  return {static_cast<int32_t>(m), left};
}

// A power-of-two scale 2^(log2 - 12): positive a factor, negative a rounding right shift.
constexpr Input16 power_of_two_input16(int log2) {
  if (log2 >= 0) return {3 << log2, 0};
  return {3, -log2};
}

// The table entry and the rest of the way to the next; `saturated` beyond the table.
constexpr uint32_t interpolate_sigmoid(uint32_t magnitude, int fraction_bits, uint32_t saturated) {
  const uint32_t index = magnitude >> fraction_bits;
  if (index >= 255) return saturated;
  const uint32_t rest = magnitude & ((1U << fraction_bits) - 1);
  const uint32_t low = kSigmoidTable[index];
  return (low << fraction_bits) + rest * (kSigmoidTable[index + 1] - low);
}

// v as scale_input16 gives it; result in Q0.15.
constexpr int16_t logistic16(int32_t v) {
  const auto magnitude = static_cast<uint32_t>(v < 0 ? -int64_t{v} : int64_t{v});
  uint32_t r = interpolate_sigmoid(magnitude, 9, 0x7FFF << 10);
  r = v >= 0 ? r + (1 << 9) : (1U << 25) - r + (1 << 9) - 1;
  return static_cast<int16_t>(r >> 10);
}

constexpr int16_t tanh16(int32_t v) {
  const auto magnitude = static_cast<uint32_t>(v < 0 ? -int64_t{v} : int64_t{v});
  const auto r = static_cast<int32_t>(interpolate_sigmoid(magnitude, 8, 0xFFFF << 8));
  constexpr int32_t kOne = 1 << 23;
  const int32_t centred = v >= 0 ? r - kOne + (1 << 7) : -r + kOne + (1 << 7) - 1;
  return static_cast<int16_t>(centred >> 8);
}

}  // namespace edgetwin::numerics

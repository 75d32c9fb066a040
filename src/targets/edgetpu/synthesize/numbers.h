// The numbers that laws are made of and that both families share.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <string>

#include "targets/edgetpu/synthesize/program.h"

namespace edgetwin::edgetpu {

// Toward minus infinity; `by` is positive.
constexpr int64_t floor_div(int64_t x, int64_t by) { return (x - (((x % by) + by) % by)) / by; }

// Limits of the scaled sum without activation, in single precision and in this order.
struct ClampBits {
  int64_t upper = 0, lower = 0;
};
inline ClampBits clamp_bits(const Member& member) {
  const float scale = member.output_scale;
  const float reciprocal = 1.0F / scale;
  const float lower = (static_cast<float>(-member.output_zero_point) * scale) * reciprocal;
  const float upper = (static_cast<float>(255 - member.output_zero_point) * scale) * reciprocal;
  return {std::bit_cast<int32_t>(upper), std::bit_cast<int32_t>(lower)};
}

// A transfer of `units` in chunks: how many are full before the last one, and what it holds.
struct Chunks {
  int64_t chunks = 0;   // full ones, minus one if the last is full too
  int64_t last = 0;     // units in one that is not full; 0: there is none
  int64_t partial = 0;  // 1: there is one
};
constexpr Chunks chunks_of(int64_t units, int64_t chunk) {
  const int64_t last = units % chunk;
  return {(units + chunk - 1) / chunk - 1, last, last > 0 ? 1 : 0};
}

// Parameters and scratch memory have no name.
inline std::string name_of(darwinn::BaseAddress base, const std::string& input,
                           const std::string& output) {
  if (base == darwinn::BaseAddress::input) return input;
  return base == darwinn::BaseAddress::output ? output : std::string();
}

// One for each program.
darwinn::Bitstream dense_program(const Member& member, const std::string& input_name,
                                 const std::string& output_name);
darwinn::Bitstream conv3x3_program(const Member& member, const std::string& input_name,
                                   const std::string& output_name);

}  // namespace edgetwin::edgetpu

// Look-up tables of ESP-DL: one entry per input value, or one per `step` values with a last entry
// beyond the range, between which the runtime interpolates (up to 3.3.7) or takes the nearest (from
// 3.3.8 on). These functions are the definition; kernels stand beside them and are proven equal.
// Source: docs/numerics.md, chapter 3; specification of the runtime 5.4 and 5.5.
#pragma once

#include <bit>
#include <cstdint>

#include "numerics/rounding.h"
#include "numerics/saturate.h"

namespace edgetwin::numerics {

enum class LutRule : uint8_t { interpolate, nearest };

// By the runtime's version, 30308 for 3.3.8; 0 stands for the newest.
constexpr LutRule lut_rule_of_runtime(int version) {
  constexpr int kFirstNearest = 30308;
  return version == 0 || version >= kFirstNearest ? LutRule::nearest : LutRule::interpolate;
}

// What the runtime takes for the distance of the entries of a 16-bit table: it divides integers, so
// that a table of the wrong length gives a wrong step. `count` at least 2.
constexpr int lut_step(int64_t count) { return static_cast<int>(65536 / (count - 1)); }

// Entries that a table of this step must have: the last input, 65535 steps from the first, reads
// the entry after its own. A full table of step 1 needs none beyond the range.
constexpr int64_t lut_entries(int step) { return step == 1 ? 65536 : 65535 / step + 2; }

// True if the nearest rule can run: it shifts instead of dividing.
constexpr bool lut_step_is_power_of_two(int step) {
  return std::has_single_bit(static_cast<unsigned>(step));
}

// int8: out = table[x + 128], 256 entries.
constexpr int8_t lut8(const int8_t* table, int8_t x) { return table[x + 128]; }

// The entries of segment x and the way between them, the division truncating toward zero.
// Reads table[i + 1], which exists for every x if the table has lut_entries(step) entries.
constexpr int16_t lut16_interpolate(const int16_t* table, int step, int16_t x) {
  const int32_t u = int32_t{x} + 32768;
  if (step == 1) return table[u];
  const int32_t r = u % step;
  const int32_t i = u / step;
  // A table of two entries overflows the runtime's 32 bits.
  const int32_t product = wrapping_mul(r, int32_t{table[i + 1]} - table[i]);
  return static_cast<int16_t>(table[i] + product / step);
}

// The nearest entry; half way between two the upper one (half_up: ESP32-S3 and plain C), or the one
// with the even index (half_even: ESP32-P4). `step` is a power of two.
constexpr int16_t lut16_nearest(const int16_t* table, int step, int16_t x, Rounding ties) {
  const uint32_t v = static_cast<uint16_t>(x) ^ 0x8000U;
  if (step == 1) return table[v];
  const auto s = static_cast<uint32_t>(step);
  uint32_t i = v / s;
  const uint32_t r = v % s;
  const uint32_t half = s / 2;
  const bool tie_up = ties == Rounding::half_even ? (i & 1U) != 0 : true;
  if (r > half || (r == half && tie_up)) ++i;
  return table[i];
}

}  // namespace edgetwin::numerics

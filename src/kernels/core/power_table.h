// What an instruction set supplies for elements of ESP-DL, whose scales are powers of two. Included
// by files for one instruction set: nothing of the C++ library here (table8.h).
#pragma once

#include <cstddef>
#include <cstdint>

namespace edgetwin::kernels {

// x and y are elements of the operands; `round` is half to even or half up, everything saturates.
enum class PowerForm : uint8_t {
  sum,            // x + y
  difference,     // x - y
  shift_product,  // round(x * y / 2^shift)
  float_product,  // round(float(x * y) * factor)
  factor_of_a,    // round(float(y) * (float(x) * factor))
  factor_of_b     // round(float(x) * (float(y) * factor))
};

struct PowerPairs {
  PowerForm form = PowerForm::sum;
  int element_bytes = 1;  // int8 or int16
  bool half_even = false;
  int shift = 0;  // 0 to 30
  float factor = 1.0F;
};

// `count` elements side by side; a step of 0 repeats the operand's first element.
struct PowerRun {
  const std::byte* a = nullptr;
  const std::byte* b = nullptr;
  std::byte* out = nullptr;
  std::ptrdiff_t count = 0;
  int step_a = 1, step_b = 1;
};

// From one exponent to another: round(x / 2^shift), for -15 <= shift <= 15; of floats
// round(x * factor).
struct PowerChange {
  int in_bytes = 1, out_bytes = 1;  // int8 or int16; 4 bytes in are a float
  bool half_even = false;
  int shift = 0;
  float factor = 1.0F;
};

// PRelu of x and a slope: round(x * up / 2^shift) of x > 0, else x * slope / 2^slope_shift, rounded
// or, slope_floor, cut downward.
struct PowerSlopes {
  int element_bytes = 1;  // int8 or int16
  bool half_even = false;
  bool slope_floor = false;
  int32_t up = 1;       // a power of two up to 2^14
  int shift = 0;        // 0 to 30
  int slope_shift = 0;  // 0 to 30
};

struct PowerTable {
  void (*pairs)(const PowerPairs& rule, const PowerRun& run);
  void (*change)(const PowerChange& rule, const std::byte* in, std::byte* out,
                 std::ptrdiff_t count);
  void (*slopes)(const PowerSlopes& rule, const PowerRun& run);  // a: x, b: slopes
};

}  // namespace edgetwin::kernels

// Where a fast kernel may stand in for the walk of PRelu of ESP-DL.
#pragma once

#include <algorithm>

#include "kernels/core/power_table.h"
#include "numerics/espdl/functions.h"
#include "ops/core/kernel.h"

namespace edgetwin::ops {

// Fills run and path of `prepared` and returns true if a kernel takes the operator: `slopes` is
// constant operand 1, one or one for each of `channels`.
bool make_fast_slopes(const OpContext& c, const kernels::PowerSlopes& rule, int64_t channels,
                      Prepared& prepared);

template <class T, class Unit>
bool make_fast_prelu(const OpContext& c, const numerics::espdl::PRelu<T, Unit>& rule,
                     int64_t channels, Prepared& prepared) {
  using Rule = numerics::espdl::PRelu<T, Unit>;
  constexpr int kMostShift = 30;
  // Further to the left the ESP32-S3 has a law of its own, and products may leave 32 bits.
  constexpr int kMostLeft = 6;
  if (rule.alpha_shift < 0 || rule.alpha_shift > kMostShift) return false;
  kernels::PowerSlopes k;
  k.element_bytes = sizeof(T);
  k.half_even = Unit::kRounding == numerics::Rounding::half_even;
  k.slope_shift = rule.alpha_shift;
  if constexpr (Rule::kRescales) {
    if (rule.shift > kMostShift || rule.shift < -kMostLeft) return false;
    k.shift = std::max(rule.shift, 0);
    k.up = int32_t{1} << std::max(-rule.shift, 0);
  } else {
    k.slope_floor = true;
  }
  return make_fast_slopes(c, k, channels, prepared);
}

}  // namespace edgetwin::ops

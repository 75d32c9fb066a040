// The finish of a sum: of the Edge TPU by one product in single precision, limits and an integer;
// of targets whose scales are powers of two by a shift (specification 4.3).
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "numerics/edgetpu_options.h"
#include "numerics/rounding.h"

namespace edgetwin::kernels {

// From the sum to the result, as numerics::edgetpu::Tail has it.
struct FloatTail {
  std::span<const float> multipliers;  // one entry per output channel
  float low = 0.0F, high = 0.0F;       // of the product, within -255..255
  int32_t zero_point = 0;              // as it is stored: of int8 or uint8
  numerics::EdgetpuOptions options;
  int64_t* ties = nullptr;   // counts results half way between integers; not null
  int64_t* large = nullptr;  // counts sums that are no float within the limits
};

// From the sum to the result: clamp(rounding_shift(sum, shift), act_min, act_max), where rounding
// is half_up or half_even.
struct ShiftTail {
  // One entry per output channel, or a single one for all of them.
  std::span<const int> shifts;
  numerics::Rounding rounding = numerics::Rounding::half_even;
  int32_t act_min = 0, act_max = 0;  // within the range of the output's type

  int shift_of(int channel) const {
    return shifts.size() == 1 ? shifts[0] : shifts[static_cast<std::size_t>(channel)];
  }
  // What is added before a shift that rounds half up.
  static int64_t half(int shift) { return shift == 0 ? 0 : int64_t{1} << (shift - 1); }
};

// Whether its members fit together and lie within what kernels know.
inline bool consistent(const ShiftTail& tail, int channels, int largest_shift, int32_t lowest,
                       int32_t highest) {
  using numerics::Rounding;
  if (tail.rounding != Rounding::half_up && tail.rounding != Rounding::half_even) return false;
  if (tail.shifts.size() != 1 && tail.shifts.size() != static_cast<std::size_t>(channels)) {
    return false;
  }
  for (const int s : tail.shifts) {
    if (s < 0 || s > largest_shift) return false;
  }
  return tail.act_min >= lowest && tail.act_max <= highest && tail.act_min <= tail.act_max;
}

}  // namespace edgetwin::kernels

// The finish of the Edge TPU: one product in single precision, limits, an integer.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "numerics/edgetpu_options.h"

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

}  // namespace edgetwin::kernels

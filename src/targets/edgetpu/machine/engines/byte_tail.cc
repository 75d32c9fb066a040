#include "targets/edgetpu/machine/engines/byte_tail.h"

#include <algorithm>
#include <cmath>

namespace edgetwin::edgetpu::machine {

bool has_byte_limits(const ByteTail& tail) {
  constexpr float kInside = 4194304.0F;  // of numerics::edgetpu::nearest_even()
  const numerics::EdgetpuOptions& o = tail.options;
  const bool usual = !o.truncate_large && !o.zero_point_first &&
                     o.ties == numerics::Rounding::half_even && std::abs(tail.zero) <= 255;
  return usual && tail.clamp.low > -kInside && tail.clamp.high < kInside &&
         tail.clamp.low <= tail.clamp.high;
}

void bytes_of_sums(const ByteTail& tail, const int32_t* sums, const float* m, int lanes,
                   uint8_t* out) {
  constexpr float kUnitSteps = 12582912.0F;
  const float low = tail.clamp.low, high = tail.clamp.high;
  const int32_t zero = tail.zero;
  for (int l = 0; l < lanes; ++l) {
    const float product = static_cast<float>(sums[l]) * m[l];
    const float limited = std::min(std::max(product, low), high);
    const auto integer = static_cast<int32_t>((limited + kUnitSteps) - kUnitSteps);
    out[l] = static_cast<uint8_t>(std::clamp(integer + zero, 0, 255));
  }
}

}  // namespace edgetwin::edgetpu::machine

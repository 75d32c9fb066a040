// Sums of all lanes to bytes, side by side.
#pragma once

#include <cstdint>

#include "numerics/edgetpu/common.h"

namespace edgetwin::edgetpu::machine {

using ByteTail = numerics::edgetpu::Tail<uint8_t>;

// Whether bytes_of_sums() may be asked: limits within which a sum with 1.5 * 2^23 rounds a float,
// and the chip's own last step.
bool has_byte_limits(const ByteTail& tail);

// The same where there are no limits: what leaves 2^22 is beyond a byte, up or down. Of sums of
// which none is multiplied by more than 1.
ByteTail with_byte_limits(ByteTail tail);

// out[l] = tail(sums[l], m[l]), for l < lanes.
void bytes_of_sums(const ByteTail& tail, const int32_t* sums, const float* m, int lanes,
                   uint8_t* out);

}  // namespace edgetwin::edgetpu::machine

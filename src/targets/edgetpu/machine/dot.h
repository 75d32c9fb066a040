// The inner loop of the machine.
#pragma once

#include <cstddef>
#include <cstdint>

namespace edgetwin::edgetpu::machine {

// sums[l] += the sum over i of (x[i] - input_zero) * (weights[4 * l + i] - zero[l]), i = 0 … 3.
// A sum beyond 32 bits wraps; what the chip does then is not known.
void dot_lanes(const std::byte* x, const std::byte* weights, int32_t input_zero,
               const int32_t* zero, int lanes, int32_t* sums);

}  // namespace edgetwin::edgetpu::machine

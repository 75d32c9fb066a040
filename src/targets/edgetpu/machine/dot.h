// The inner loop of the machine.
#pragma once

#include <cstddef>
#include <cstdint>

namespace edgetwin::edgetpu::machine {

// Onto an accumulator; a sum beyond 32 bits wraps: what the chip does then is not known.
inline void add(int32_t& sum, int32_t product) {
  sum = static_cast<int32_t>(static_cast<uint32_t>(sum) + static_cast<uint32_t>(product));
}

// sums[l] += the sum over i of (x[i] - input_zero) * (weights[4 * l + i] - zero[l]), i = 0 … 3.
void dot_lanes(const std::byte* x, const std::byte* weights, int32_t input_zero,
               const int32_t* zero, int lanes, int32_t* sums);

// sums[l] += x[0] * pair[l][0] + x[1] * pair[l][1], of signed numbers of 16 bits.
void dot_pairs(const std::byte* x, const std::byte* pairs, int lanes, int32_t* sums);

// sums[l] += x * (halves[2 * l] - zero), of unsigned numbers of 16 bits.
void dot_halves(int32_t x, const std::byte* halves, int32_t zero, int lanes, int32_t* sums);

// sums[l] += x * (bytes[4 * l] - zero).
void dot_bytes(int32_t x, const std::byte* bytes, int32_t zero, int lanes, int32_t* sums);

}  // namespace edgetwin::edgetpu::machine

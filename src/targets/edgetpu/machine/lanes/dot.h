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

// Four bytes, and the line of wide memory that they are multiplied with.
struct DotPlace {
  const std::byte* x;
  const std::byte* weights;
};
inline constexpr size_t kMostTogether = 32;

// The part of it without zero[l], for at most kMostTogether places: sums[l] += the sum over i of
// (x[i] - input_zero) * weights[4 * l + i]. Returns the sum of all (x[i] - input_zero), of which
// each lane takes zero[l] times as much away, at once for as many products as it likes
// (take_zeros).
int32_t dot_bytes(const DotPlace* places, size_t count, int32_t input_zero, int lanes,
                  int32_t* sums);
void take_zeros(int32_t all, const int32_t* zero, int lanes, int32_t* sums);

// sums[l] += the sum over p of (x[p] - input_zero) * (w[l][p] - weight_zero), where w[l] are the
// numbers from a lane's byte at `weights` on. All numbers are unsigned.
using Dot = void (*)(const std::byte* x, const std::byte* weights, int32_t input_zero,
                     int32_t weight_zero, int lanes, int32_t* sums);

// For numbers of `input` and of `weight` bytes, `products` of them; null: there is no such form.
Dot dot_of(int input, int weight, int products);

// sums[l] = the larger of it and (byte of the lane) - zero.
void max_lanes(const std::byte* bytes, int32_t zero, int lanes, int32_t* sums);

}  // namespace edgetwin::edgetpu::machine

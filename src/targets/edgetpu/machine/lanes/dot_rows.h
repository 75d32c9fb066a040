// Four products of bytes for each lane, for several rows of iterations at once.
#pragma once

#include <cstddef>
#include <cstdint>

#include "targets/edgetpu/machine/lanes/dot.h"

namespace edgetwin::edgetpu::machine {

// What all rows share.
struct DotWalk {
  const int32_t* in = nullptr;     // bytes from a row's beginning, one for each iteration
  const int32_t* lines = nullptr;  // bytes from `weights`, likewise
  size_t length = 0;               // iterations
  const std::byte* weights = nullptr;
  int32_t input_zero = 0;          // of a byte
  const int16_t* zeros = nullptr;  // of the weights: each lane's four times, for all lanes
  int lanes = 0;                   // a multiple of 4
};

struct DotRow {
  const std::byte* x;  // where it begins in narrow memory
  int32_t* sums;       // of its lanes
};

// sums[l] += the sum over all iterations n and i = 0 … 3 of
// (x[in[n] + i] - input_zero) * (weights[lines[n] + 4 * l + i] - zeros[4 * l]).
void dot_rows(const DotWalk& walk, const DotRow* rows, size_t count);

// The zero points of the lanes as dot_rows() takes them; false: one of them is too large.
bool spread_zeros(const int32_t* zero, int lanes, int16_t* zeros);

}  // namespace edgetwin::edgetpu::machine

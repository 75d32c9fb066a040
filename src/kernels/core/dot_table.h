// What an instruction set supplies for products of many lanes with the same four bytes. Included by
// files for one instruction set: nothing of the C++ library here (table8.h).
#pragma once

#include <cstddef>
#include <cstdint>

namespace edgetwin::kernels {

// What all rows share.
struct DotWalk {
  const int32_t* in = nullptr;     // bytes from a row's beginning, one for each iteration
  const int32_t* lines = nullptr;  // bytes from `weights`, likewise
  std::size_t length = 0;          // iterations
  const std::byte* weights = nullptr;
  int32_t input_zero = 0;          // of a byte
  const int16_t* zeros = nullptr;  // of the weights: each lane's four times, for all lanes
  int lanes = 0;                   // a multiple of 4
};

struct DotRow {
  const std::byte* x = nullptr;  // where it begins
  int32_t* sums = nullptr;       // of its lanes
};

// sums[l] += the sum over all iterations n and i = 0 … 3 of
// (x[in[n] + i] - input_zero) * (weights[lines[n] + 4 * l + i] - zeros[4 * l]), for `count` rows.
using DotRowsKernel = void (*)(const DotWalk& walk, const DotRow* rows, std::size_t count);

}  // namespace edgetwin::kernels

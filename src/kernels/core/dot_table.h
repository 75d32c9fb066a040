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

// Sums of four lanes, by iteration of four bytes: what depthwise layers, additions and copies are.
struct WordWalk {
  const int32_t* in = nullptr;  // bytes from a row's beginning, one for each iteration
  std::size_t length = 0;       // iterations
  // By iteration 16: of lanes 0 to 3 the factors of bytes 0 and 1, then those of bytes 2 and 3.
  const int16_t* factors = nullptr;
  const int32_t* first = nullptr;  // what the four sums begin with
};

// sums[4 * r + l] = first[l] + the sum over all iterations n and i = 0 … 3 of rows[r][in[n] + i] *
// the factor of byte i and lane l, for `count` rows.
using DotWordsKernel = void (*)(const WordWalk& walk, const std::byte* const* rows,
                                std::size_t count, int32_t* sums);

}  // namespace edgetwin::kernels

// What an instruction set supplies for sums of products in float32: plain functions, as in
// kernel_table.h, whose rules hold here too. Every sum is one chain of fused multiply-adds in the
// order that its struct names; so all instruction sets, tiles and numbers of threads give the same
// bits.
#pragma once

#include <cstddef>
#include <cstdint>

namespace edgetwin::kernels {

// rows x columns results of a matrix product: c[r][j] = start + sum over k of a[r][k] * b[k][j],
// k ascending.
struct FloatTile {
  const float* a = nullptr;  // rows of `depth` elements, a_row apart
  std::ptrdiff_t a_row = 0;
  const float* b = nullptr;  // packed: [k][FloatTable::width]
  int64_t depth = 0;
  float* c = nullptr;
  std::ptrdiff_t c_row = 0;
  int rows = 0;     // 1 to FloatTable::rows
  int columns = 0;  // 1 to FloatTable::width
  // Where the sums start: row_start[r], or c itself where it is null.
  const float* row_start = nullptr;
};

// Neighbouring outputs of a depthwise layer: out[x] = start + sum over t of weights[t] *
// taps[t][x]. Whole vectors are read: taps have FloatTable::width readable elements beyond `count`.
struct FloatTaps {
  const float* const* taps = nullptr;
  const float* weights = nullptr;
  int tap_count = 0;
  float start = 0.0F;
  int count = 0;
  float* out = nullptr;
};

struct FloatTable {
  const char* path;
  int width;  // columns of a tile
  int rows;   // the most rows of a tile
  void (*tile)(const FloatTile& tile);
  void (*taps)(const FloatTaps& taps);
};

}  // namespace edgetwin::kernels

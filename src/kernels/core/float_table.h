// What an instruction set supplies for sums of products in float32: plain functions, as in
// kernel_table.h, whose rules hold here too. Every sum is one chain in the order that its struct
// names, of fused multiply-adds where the struct does not say otherwise; so all instruction sets,
// tiles and numbers of threads give the same bits.
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

// The sums of pictures whose channels are the last axis. Each product and each sum is rounded by
// itself; the lanes are output channels, so that every sum keeps the order of the plain walk:
// out[p][j] = 0 + sum over t, then k, of pixels[t * count + p][k] * weights[t][k][j], `width` of j.
struct FloatChains {
  const float* const* pixels = nullptr;
  const float* const* weights = nullptr;
  int tap_count = 0;
  int count = 0;  // of pixels: 1 to FloatTable::rows
  std::ptrdiff_t depth = 0;
  float* out = nullptr;
};

// One pixel of a depthwise layer: out[c] = 0 + sum over t of pixels[t][c] * weights[t][c].
struct FloatChannels {
  const float* const* pixels = nullptr;
  const float* const* weights = nullptr;
  int tap_count = 0;
  std::ptrdiff_t channels = 0;
  float* out = nullptr;
};

struct FloatTable {
  const char* path;
  int width;  // columns of a tile
  int rows;   // the most rows of a tile
  void (*tile)(const FloatTile& tile);
  void (*taps)(const FloatTaps& taps);
  void (*chains)(const FloatChains& chains);
  void (*channels)(const FloatChannels& channels);
};

}  // namespace edgetwin::kernels

// The definition of the float sums, for every processor. Without an instruction for the fused
// multiply-add the C library computes it, which is slow but the same.
#include <cmath>

#include "kernels/floats/sums.h"

namespace edgetwin::kernels {
namespace {

constexpr int kWidth = 8;
constexpr int kRows = 4;

void tile(const FloatTile& t) {
  for (int r = 0; r < t.rows; ++r) {
    const float* a = t.a + r * t.a_row;
    float* c = t.c + r * t.c_row;
    for (int j = 0; j < t.columns; ++j) {
      float sum = t.row_start != nullptr ? t.row_start[r] : c[j];
      for (int64_t k = 0; k < t.depth; ++k) sum = std::fma(a[k], t.b[k * kWidth + j], sum);
      c[j] = sum;
    }
  }
}

void taps(const FloatTaps& t) {
  for (int x = 0; x < t.count; ++x) {
    float sum = t.start;
    for (int i = 0; i < t.tap_count; ++i) sum = std::fma(t.weights[i], t.taps[i][x], sum);
    t.out[x] = sum;
  }
}

void chains(const FloatChains& t) {
  for (int p = 0; p < t.count; ++p) {
    float* sums = t.out + p * kWidth;
    for (int j = 0; j < kWidth; ++j) sums[j] = 0.0F;
    for (int tap = 0; tap < t.tap_count; ++tap) {
      const float* x = t.pixels[tap * t.count + p];
      const float* w = t.weights[tap];
      for (std::ptrdiff_t k = 0; k < t.depth; ++k, w += kWidth) {
        for (int j = 0; j < kWidth; ++j) sums[j] = sums[j] + x[k] * w[j];
      }
    }
  }
}

void channels(const FloatChannels& t) {
  for (std::ptrdiff_t c = 0; c < t.channels; ++c) {
    float sum = 0.0F;
    for (int i = 0; i < t.tap_count; ++i) sum = sum + t.pixels[i][c] * t.weights[i][c];
    t.out[c] = sum;
  }
}

constexpr FloatTable kTable = {"plain", kWidth, kRows, tile, taps, chains, channels};

}  // namespace

const FloatTable* plain_floats() { return &kTable; }

}  // namespace edgetwin::kernels

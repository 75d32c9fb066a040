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

constexpr FloatTable kTable = {"plain", kWidth, kRows, tile, taps};

}  // namespace

const FloatTable* plain_floats() { return &kTable; }

}  // namespace edgetwin::kernels

#include "targets/edgetpu/machine/lanes/dot_rows.h"

namespace edgetwin::edgetpu::machine {
namespace {

void multiply_row(const DotWalk& d, const DotRow& row) {
  for (size_t k = 0; k < d.length; ++k) {
    const std::byte* x = row.x + d.in[k];
    const std::byte* w = d.weights + d.lines[k];
    int32_t difference[4];
    for (size_t i = 0; i < 4; ++i) difference[i] = static_cast<int32_t>(x[i]) - d.input_zero;
    for (int l = 0; l < d.lanes; ++l) {
      uint32_t product = 0;
      for (int i = 0; i < 4; ++i) {
        const int at = 4 * l + i;
        product += static_cast<uint32_t>(difference[i]) *
                   static_cast<uint32_t>(static_cast<int32_t>(w[at]) - d.zeros[at]);
      }
      add(row.sums[l], static_cast<int32_t>(product));
    }
  }
}

}  // namespace

void dot_rows(const DotWalk& walk, const DotRow* rows, size_t count) {
  static const kernels::DotRowsKernel kernel = kernels::dot_rows_kernel(kernels::best_isa());
  if (kernel != nullptr) return kernel(walk, rows, count);
  for (size_t r = 0; r < count; ++r) multiply_row(walk, rows[r]);
}

bool spread_zeros(const int32_t* zero, int lanes, int16_t* zeros) {
  // A difference from a byte is a word.
  constexpr int32_t kLow = INT16_MIN + 256, kHigh = INT16_MAX;
  bool fits = true;
  for (int l = 0; l < lanes; ++l) {
    fits = fits && zero[l] >= kLow && zero[l] <= kHigh;
    for (int i = 0; i < 4; ++i) zeros[4 * l + i] = static_cast<int16_t>(zero[l]);
  }
  return fits;
}

}  // namespace edgetwin::edgetpu::machine

#include "targets/max78/machine/layers/dot.h"

#include <algorithm>

namespace edgetwin::max78 {
namespace {

constexpr size_t kPiece = 65536;  // products that 32 bits hold for sure

// Compilers make multiply-and-add instructions of these loops.
int32_t dot(const int16_t* x, const int16_t* w, size_t n) {
  int32_t sum = 0;
  for (size_t i = 0; i < n; ++i) sum += int32_t{x[i]} * w[i];
  return sum;
}

}  // namespace

void dot_rows(const int16_t* x, const int16_t* rows, size_t stride, size_t length, size_t count,
              int64_t* sums) {
  for (size_t at = 0; at < length; at += kPiece) {
    const size_t n = std::min(kPiece, length - at);
    for (size_t i = 0; i < count; ++i) sums[i] += dot(x + at, rows + i * stride + at, n);
  }
}

}  // namespace edgetwin::max78

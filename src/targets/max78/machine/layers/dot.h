// Sums of products of 16-bit numbers.
#pragma once

#include <cstddef>
#include <cstdint>

namespace edgetwin::max78 {

inline constexpr size_t kDotStep = 16;  // lengths are multiples of this

// sums[i] += sum over n of x[n] * rows[i * stride + n], for i in 0..count-1. |x| <= 128 and
// |rows| <= 128, so that 32 bits hold 131 071 products; longer rows are summed in pieces.
void dot_rows(const int16_t* x, const int16_t* rows, size_t stride, size_t length, size_t count,
              int64_t* sums);

}  // namespace edgetwin::max78

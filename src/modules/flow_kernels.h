// Inner loops of the flow stage. The plain ones define the result; all are exact.
#pragma once

#include <cstddef>
#include <cstdint>

namespace edgetwin::modules {

// Rows of a shift: `rows` times `length` products, rows `stride` apart.
struct DotRows {
  const int16_t* a = nullptr;
  const int16_t* b = nullptr;
  size_t stride = 0, length = 0, rows = 0;
  int64_t most = 0;  // bound of the magnitude of every element
};
int64_t dot_rows_plain(const DotRows& d);
// AVX2 where the processor has it, SSE2 otherwise. The same sum.
int64_t dot_rows(const DotRows& d);

// Sums over squares of `pool` x `pool` positions of `filters` bytes, `offset` taken off each sum;
// `pool` * `pool` * 255 must fit int16. Positions beyond whole squares are left out.
struct Squares {
  const uint8_t* from = nullptr;
  int16_t* to = nullptr;
  size_t height = 0, width = 0, filters = 0, pool = 1;  // height and width of the sums
  size_t row = 0;                                       // bytes of a row of `from`
  int offset = 0;
};
void sum_squares_plain(const Squares& s);
void sum_squares(const Squares& s);

}  // namespace edgetwin::modules

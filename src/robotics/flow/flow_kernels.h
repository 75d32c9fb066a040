// Inner loops of the flow stage. The plain ones define the result; all are exact.
#pragma once

#include <cstddef>
#include <cstdint>

namespace edgetwin::robotics {

// Rows are this many elements, or a multiple; beyond the map there are zeros.
inline constexpr size_t kFlowLanes = 16;

// Products of two maps for several shifts along a row:
//   sums[k] = sum over r and i of b[r][i] * a[r][i + k * step]
struct Shifts {
  const int16_t* a = nullptr;
  const int16_t* b = nullptr;
  size_t a_row = 0, b_row = 0;  // elements from one row to the next
  size_t length = 0, rows = 0;  // length: a multiple of kFlowLanes
  size_t step = 0, count = 0;   // shifts
  int64_t most = 0;             // bound of the magnitude of every element
  int64_t* sums = nullptr;
};
void dot_shifts_plain(const Shifts& s);
// AVX-512 VNNI or AVX2 where the processor has it. The same sums.
void dot_shifts(const Shifts& s);

// Sums over squares of `pool` x `pool` positions of `filters` bytes, `offset` taken off each sum;
// `pool` * `pool` * 255 must fit int16. Positions beyond whole squares are left out.
struct Squares {
  const uint8_t* from = nullptr;
  int16_t* to = nullptr;
  size_t height = 0, width = 0, filters = 0, pool = 1;  // height and width of the sums
  size_t from_row = 0, to_row = 0;                      // elements from one row to the next
  int offset = 0;
};
void sum_squares_plain(const Squares& s);
void sum_squares(const Squares& s);

}  // namespace edgetwin::robotics

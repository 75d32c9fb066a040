// All inputs of a table at once. The definition is numerics/lut.h, input by input; this is the same
// by segments, and many times as fast (bench/lut_sweep.cc). docs/lut.md, chapter 2.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "numerics/lut.h"
#include "tensor/tensor.h"

namespace edgetwin::lut {

using numerics::LutRule;
using numerics::Rounding;

// "interpolate", "nearest"
std::string_view name(LutRule rule);

// What the runtime derives from the length of a table.
struct TableForm {
  int bits = 16;
  int64_t count = 0;
  int step = 1;  // 65536 / (count - 1), as the runtime divides; 1 for 8 bits and full tables
};
// int8 of 256 elements, or int16 of 3 to 65537. Error: lut_table.
Result<TableForm> form(const Tensor& table);

// The outputs for all inputs, the lowest first, widened to 16 bits. `out` holds 256 or 65536.
// Ties matter to LutRule::nearest only. Entries beyond the end of a table that is too short are
// taken for 0, as the padding of a file is; fencepost.h says which inputs read them.
// Errors: lut_table; lut_step where the nearest rule meets a step that is no power of two, at which
// the runtime stops with an assertion.
Status sweep_into(const Tensor& table, LutRule rule, Rounding ties, std::span<int16_t> out);

// The same as a tensor of the table's type and exponent, 256 or 65536 elements.
Result<Tensor> sweep(const Tensor& table, LutRule rule, Rounding ties);

// The inner part: `table` has 65536 / step + 1 entries or more (65536 for step 1), `step` is a
// power of two up to 32768, `out` has 65536 elements and does not overlap the table.
void sweep_interpolate(const int16_t* table, int step, int16_t* out);
void sweep_nearest(const int16_t* table, int step, Rounding ties, int16_t* out);
// Any step of 2 to 32768; `table` has 65535 / step + 2 entries or more.
void sweep_interpolate_any_step(const int16_t* table, int step, int16_t* out);

}  // namespace edgetwin::lut

// The numerics that a graph can run in, by name; the table is numerics.def.
#pragma once

#include <span>
#include <string_view>

#include "numerics/rounding.h"
#include "ops/core/kernel.h"

namespace edgetwin::ops {

struct NumericsInfo {
  std::string_view name;     // what --numerics accepts
  std::string_view summary;  // one line for --help
  // Errors: op_unsupported, op_type, op_shape, op_quant, op_attribute, op_constant, op_shift,
  // op_undefined, op_table.
  PrepareFn prepare;
  numerics::Rounding rounding;  // of real numbers that become inputs
};

std::span<const NumericsInfo> all_numerics();
// What stands behind a colon (edgetpu:ties=away) is not looked at.
const NumericsInfo* find_numerics(std::string_view name);

}  // namespace edgetwin::ops

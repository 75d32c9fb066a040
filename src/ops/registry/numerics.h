// The numerics that a graph can run in, by name; the table is numerics/numerics.def.
#pragma once

#include <span>
#include <string_view>

#include "base/result.h"
#include "numerics/rounding.h"
#include "ops/core/kernel.h"

namespace edgetwin::ops {

struct NumericsInfo {
  std::string_view name;     // what --numerics accepts
  std::string_view summary;  // one line for --help
  bool graphs = true;        // false: of networks that are not graphs; no session takes it
  // Errors: op_unsupported, op_type, op_shape, op_quant, op_attribute, op_constant, op_shift,
  // op_undefined, op_table.
  PrepareFn prepare;
  numerics::Rounding rounding;  // of real numbers that become inputs
};

std::span<const NumericsInfo> all_numerics();
// What stands after a colon (edgetpu:ties=away) is not looked at.
const NumericsInfo* find_numerics(std::string_view name);

// Error numerics_unknown: no row has the name; the hint lists those that graphs run in. Error
// usage: the row is of networks that are not graphs.
Result<const NumericsInfo*> numerics_of_graphs(std::string_view name);

}  // namespace edgetwin::ops

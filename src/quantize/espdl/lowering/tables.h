// The look-up tables that an exporter puts beside activations.
#pragma once

#include <optional>

#include "formats/espdl/document/table_origin.h"
#include "quantize/espdl/lowering/state.h"
#include "tensor/tensor.h"

namespace edgetwin::quantize {

struct BuiltTable {
  Tensor table;
  espdl::TableOrigin origin;
};

// The table of an operator whose operands are final (ids of `graph`); nothing where it has none.
// Errors: lut_spec, lut_step.
Result<std::optional<BuiltTable>> table_of(const Node& node, const Op& op, const Graph& graph,
                                           const Settings& settings);

}  // namespace edgetwin::quantize

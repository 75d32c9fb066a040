// Pictures whose positions or channels changed places: the operator that their places tell, else a
// GATHER of all positions.
#pragma once

#include "targets/edgetpu/decompile/write/graph_rewrite.h"

namespace edgetwin::edgetpu {

// Of an operand with moved parts. `pictures`: by part, and in it by producer, the channels that are
// taken of it.
ValueId write_parts(GraphRewrite& r, const Operand& o,
                    const std::vector<std::vector<ValueId>>& pictures);

}  // namespace edgetwin::edgetpu

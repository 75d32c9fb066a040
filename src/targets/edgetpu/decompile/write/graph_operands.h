// The value that a layer reads: one producer's, or several put together by slices, concatenations
// and reshapes that are made once and kept.
#pragma once

#include "targets/edgetpu/decompile/write/graph_rewrite.h"

namespace edgetwin::edgetpu {

// kAbsent: a producer was not written.
ValueId operand_value(GraphRewrite& r, const Operand& o);

}  // namespace edgetwin::edgetpu

// A program that only moves bytes, as slices, paddings and concatenations.
#pragma once

#include "targets/edgetpu/decompile/write/byte_origins.h"
#include "targets/edgetpu/decompile/write/graph_rewrite.h"

namespace edgetwin::edgetpu {

// Puts operators in the place of the compiled one that make its outputs from its inputs. `program`
// takes and gives dense tensors of the host, in the order of the executable. Errors: those of
// trace_bytes; decompile_layer, where an output is made in another way.
Status write_moves(GraphRewrite& r, const Op& old, const ByteProgram& program);

}  // namespace edgetwin::edgetpu

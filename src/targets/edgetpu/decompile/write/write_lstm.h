// A recurrent layer written as one operator over a sequence.
#pragma once

#include "targets/edgetpu/decompile/write/graph_rewrite.h"

namespace edgetwin::edgetpu {

// Its states are inputs of the compiled operator that are kept between runs. kAbsent: they are not,
// or weights have no scale that makes the program's numbers.
ValueId write_lstm(GraphRewrite& r, size_t l, const DecompiledLayer& layer, ValueId in,
                   const Quant& q);

}  // namespace edgetwin::edgetpu

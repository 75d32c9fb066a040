// One layer written as an operator.
#pragma once

#include "targets/edgetpu/decompile/write/graph_rewrite.h"

namespace edgetwin::edgetpu {

// `in`: its operands; `q`: of its result. kAbsent: it cannot be written.
ValueId write_layer(GraphRewrite& r, size_t l, const DecompiledLayer& layer,
                    std::vector<ValueId> in, const Quant& q);

}  // namespace edgetwin::edgetpu

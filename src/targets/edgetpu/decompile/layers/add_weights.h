// The weights of an addition's two operands.
#pragma once

#include "targets/edgetpu/decompile/operands/layer_search.h"

namespace edgetwin::edgetpu {

// They are halves of the constants put into wide memory before it.
void find_add_weights(const LayerSearch& search, DecompiledLayer& layer);

}  // namespace edgetwin::edgetpu

// Average pools of pictures whose positions or channels changed places, or of some channels alone.
#pragma once

#include "targets/edgetpu/decompile/operands/layer_search.h"
#include "targets/edgetpu/decompile/sizes/sizes.h"

namespace edgetwin::edgetpu {

// Of an average pool: its operand, window and size, where it is known where the words were made
// that it reads. False: it is not. None that fits is a problem.
bool find_pool(const LayerSearch& search, DecompiledLayer& layer, const SizeContext& context);

}  // namespace edgetwin::edgetpu

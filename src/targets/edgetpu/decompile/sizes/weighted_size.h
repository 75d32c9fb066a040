// The window and the output size of convolutions, and which of them are dense layers.
#pragma once

#include "targets/edgetpu/decompile/sizes/sizes.h"

namespace edgetwin::edgetpu {

// As find_size(), for layers with weights.
void size_weighted(DecompiledLayer& l, const SizeContext& context);

}  // namespace edgetwin::edgetpu

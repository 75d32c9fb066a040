// The window and the output size of an average pool.
#pragma once

#include "targets/edgetpu/decompile/sizes/sizes.h"

namespace edgetwin::edgetpu {

// As find_size(), for average pools.
void size_pool(DecompiledLayer& l, const SizeContext& context);

}  // namespace edgetwin::edgetpu

// Stages put together to layers: bands of one operator joined, copies followed to what they copy,
// sizes found, parameters read.
#pragma once

#include "targets/edgetpu/decompile/operands/layer.h"

namespace edgetwin::edgetpu {

// `caching` may be null. Error: decompile_program.
Result<Layers> find_layers(const darwinn::Executable& inference, const darwinn::Executable* caching,
                           ReplayLimits limits = {});

}  // namespace edgetwin::edgetpu

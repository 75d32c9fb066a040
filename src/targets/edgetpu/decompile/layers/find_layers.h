// Stages put together to layers: bands of one operator joined, copies followed to what they copy,
// sizes found, parameters read.
#pragma once

#include "targets/edgetpu/decompile/operands/layer.h"

namespace edgetwin::edgetpu {

// `caching` may be null. `given`: by input of the executable, the size that the network names,
// where a program takes pictures as rows; 0: not known. Error: decompile_program.
Result<Layers> find_layers(const darwinn::Executable& inference, const darwinn::Executable* caching,
                           ReplayLimits limits = {}, std::vector<Extent2D> given = {});

}  // namespace edgetwin::edgetpu

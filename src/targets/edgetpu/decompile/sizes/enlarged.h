// Pictures that copies enlarged before they were added: RESIZE_NEAREST_NEIGHBOR has no instruction.
#pragma once

#include "targets/edgetpu/decompile/operands/layer_search.h"

namespace edgetwin::edgetpu {

// Of a sum of two pictures of which one is larger: notes the size of the smaller one, if each
// position that is read was computed as the nearest one.
// `first`, `second`: the sizes of its operands as their producers make them.
void enlarge_operand(const LayerSearch& search, DecompiledLayer& layer, const Extent2D& first,
                     const Extent2D& second);

}  // namespace edgetwin::edgetpu

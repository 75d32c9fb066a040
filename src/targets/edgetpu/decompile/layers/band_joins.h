// Outputs that are several maps one after the other, as the boxes and scores of a detector are.
#pragma once

#include "targets/edgetpu/decompile/operands/layer.h"

namespace edgetwin::edgetpu {

// Where an output of the executable has more rows than the map that was found for it, the maps
// that nobody else reads, that have its zero point and together its rows become its parts. Channels
// that stand between two rows only to fill words are taken out of the layers that make them.
void join_maps(Layers& layers, const darwinn::Executable& inference);

}  // namespace edgetwin::edgetpu

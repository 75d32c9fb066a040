// What a decompiled program can be held against without its source: itself. Every finding names
// layer and instruction; the rest of the network stays usable.
#pragma once

#include "targets/edgetpu/decompile/operands/layer.h"

namespace edgetwin::edgetpu {

// Adds to `layers.findings`:
// * counts of a traversal that are not those of the loops,
// * resident parameters that belong to no layer,
// * an output of another size than the file announces,
// * an input whose zero point is not that of the layer that makes it,
// * a weight scale that is not positive.
void check_layers(Layers& layers, const darwinn::Executable& inference, const Resident& resident);

}  // namespace edgetwin::edgetpu

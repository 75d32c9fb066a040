// Which layer makes which output of the executable.
#pragma once

#include "targets/edgetpu/decompile/operands/layer_search.h"

namespace edgetwin::edgetpu {

// Needs finished layers, which count anew afterwards where pieces of lists were joined.
void find_outputs(LayerSearch& search);

}  // namespace edgetwin::edgetpu

// Stages put together to layers: bands of one operator joined, those of a softmax or of a recurrent
// layer taken as one, and what only moves data set aside.
#pragma once

#include "targets/edgetpu/decompile/operands/layer_search.h"

namespace edgetwin::edgetpu {

// Fills the layers with their stages, and layer_of.
void place_stages(LayerSearch& search);

}  // namespace edgetwin::edgetpu

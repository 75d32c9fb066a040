// Layers whose bytes are not those of the reference: a compiled model with new weights.
#pragma once

#include "targets/edgetpu/params/locate.h"

namespace edgetwin::edgetpu {

// Gives the layers that were not found by their bytes the room that is left over, where there is
// only one way to do so; their pieces have `explained` 0.
void fill_gaps(Located& located);

}  // namespace edgetwin::edgetpu

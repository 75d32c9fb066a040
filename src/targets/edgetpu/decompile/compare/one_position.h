// Layers with weights that have one output position: convolutions, depthwise ones and fully
// connected ones are the same program there.
#pragma once

#include "targets/edgetpu/decompile/compare/network.h"

namespace edgetwin::edgetpu {

// As one row of weights for each output, over all positions of the input; they are zero points
// where the output reads nothing. Other layers stay as they are.
void as_one_row(NetworkLayer& layer);

}  // namespace edgetwin::edgetpu

// Outputs of a layer that only fill the last word of a row: where channels become positions of a
// list, as in heads of detectors, each row begins with a word of its own.
#pragma once

#include "targets/edgetpu/decompile/compare/network.h"

namespace edgetwin::edgetpu {

// The layer with so many outputs, if all others are such filler: weights that are the zero point,
// and no bias. Else as it is.
NetworkLayer without_row_filler(const NetworkLayer& layer, int64_t outputs);

}  // namespace edgetwin::edgetpu

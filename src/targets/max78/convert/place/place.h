// Where the tensors of a draft lie on the device.
#pragma once

#include "targets/max78/convert/draft/draft.h"

namespace edgetwin::max78 {

// Copies where operands or parts cannot lie where they are; gaps between pixels.
void arrange(Draft& draft);
// Processors and offsets of all tensors.
void place(Draft& draft);

}  // namespace edgetwin::max78

// Where the tensors of a draft lie on the device.
#pragma once

#include "targets/max78/convert/draft/draft.h"

namespace edgetwin::max78 {

// Copies where operands or parts cannot lie where they are; gaps between pixels.
void arrange(Draft& draft);
// An input too large in HWC format, four channels to a word, may fit with a channel in each data
// memory, where only the first layer reads it.
void choose_format(Draft& draft);
// That, and processors and offsets of all tensors.
void place(Draft& draft);

}  // namespace edgetwin::max78

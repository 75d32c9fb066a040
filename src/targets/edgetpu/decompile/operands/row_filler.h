// Outputs of a layer that stand between two rows of a list only to fill words.
#pragma once

#include "targets/edgetpu/decompile/operands/layer.h"

namespace edgetwin::edgetpu {

// Of a layer with weights whose outputs are rows of so many channels, each padded to words: whether
// those between two rows have no weights, as they have no meaning.
bool has_row_filler(const DecompiledLayer& layer, int channels);

// Takes them out. The filler after the last row may be gone already.
void cut_row_filler(DecompiledLayer& layer, int channels);

}  // namespace edgetwin::edgetpu

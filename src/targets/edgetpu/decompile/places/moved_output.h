// Outputs whose positions changed places after the last layer.
#pragma once

#include "targets/edgetpu/decompile/operands/layer_search.h"

namespace edgetwin::edgetpu {

// `made`: the words that left for the output. Where the host's picture of them is
// not the layer's, the output's operand says how it is made; a finding where no form says that.
void find_moved_output(LayerSearch& search, const std::vector<TileWords>& made,
                       DecompiledOutput& output);

}  // namespace edgetwin::edgetpu

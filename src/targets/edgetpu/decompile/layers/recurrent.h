// A recurrent layer among the others: its own numbers, and who reads what it left behind.
#pragma once

#include "targets/edgetpu/decompile/operands/layer_search.h"

namespace edgetwin::edgetpu {

void finish_lstm(LayerSearch& search, DecompiledLayer& layer);

// A layer of one position may read all that the recurrent one left behind, step after step. True:
// it does, and this is its input.
bool reads_lstm(LayerSearch& search, DecompiledLayer& layer);

}  // namespace edgetwin::edgetpu

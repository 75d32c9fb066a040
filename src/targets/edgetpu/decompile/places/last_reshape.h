// Rows of another length that only the host sees.
#pragma once

#include "targets/edgetpu/decompile/operands/layer_search.h"

namespace edgetwin::edgetpu {

// A product with a constant that no other layer reads keeps its producer's rows: an output of other
// rows is the same bytes. Called when operands and outputs are known.
void keep_last_rows(LayerSearch& search);

}  // namespace edgetwin::edgetpu

// The greatest or the least of two, and of a window, as sums: max(a, b) = a + max(b - a, 0), and
// min(a, b) = a - max(a - b, 0).
#pragma once

#include "targets/edgetpu/decompile/operands/layer_search.h"

namespace edgetwin::edgetpu {

// Where a finished sum is the second of such a pair: it becomes MAXIMUM or MINIMUM of two layers,
// or a MAX_POOL_2D, whose window the pairs before it make larger; the layers that it takes the
// place of are followed. Everything is proven from the instructions: weights, constants and limits
// of both sums, the ways between the operands, and what lies around the picture. Else it stays a
// sum.
void take_greatest(LayerSearch& search, size_t layer);

}  // namespace edgetwin::edgetpu

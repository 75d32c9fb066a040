// Where the new operators meet the graph around the compiled one: its inputs and outputs brought
// to the type and shape that the layers have, and back.
#pragma once

#include "targets/edgetpu/decompile/graph_rewrite.h"

namespace edgetwin::edgetpu {

// Fills inputs and states of the rewrite. `old`: the compiled operator.
void make_inputs(GraphRewrite& r, const Op& old);

// Error: decompile_layer, where an output is made by nobody or has another size.
Status make_outputs(GraphRewrite& r, const Op& old);

}  // namespace edgetwin::edgetpu

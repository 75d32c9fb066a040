// Where the new operators meet the graph around the compiled one: its inputs and outputs brought
// to the type and shape that the layers have, and back.
#pragma once

#include "targets/edgetpu/decompile/write/graph_rewrite.h"

namespace edgetwin::edgetpu {

// The executable's input or output of that name; names of older files are those of the tensors,
// else the order counts: `fallback`.
size_t layer_index(const std::vector<darwinn::Layer>& all, const std::string& name,
                   size_t fallback);

// Fills inputs and states of the rewrite. `old`: the compiled operator.
void make_inputs(GraphRewrite& r, const Op& old);

// Error: decompile_layer, where an output is made by nobody or has another size.
Status make_outputs(GraphRewrite& r, const Op& old);

}  // namespace edgetwin::edgetpu

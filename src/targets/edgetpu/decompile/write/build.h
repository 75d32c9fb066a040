// Layers with their scales written as operators of a graph.
#pragma once

#include "graph/graph.h"
#include "targets/edgetpu/decompile/write/decompiled_op.h"

namespace edgetwin::edgetpu {

// Replaces operator `op.op` of `graph` by the layers of `op`, and fills op.written. Error:
// decompile_layer, where the graph around the operator does not fit.
Status replace_op(Graph& graph, DecompiledOp& op, const darwinn::Executable& inference);

// Writes those layers of `op` that can be written in front of the operator, which stays: nobody
// reads what they make. Fills op.written.
void insert_op(Graph& graph, DecompiledOp& op, const darwinn::Executable& inference);

}  // namespace edgetwin::edgetpu

// Parts of networks: what stands before a decoder.
#pragma once

#include <vector>

#include "graph/graph.h"

namespace edgetwin::decode {

// The operators that `outputs` need, with these as the graph's outputs.
Graph part_for(const Graph& graph, std::vector<ValueId> outputs);

// The operator of a kind, or null.
const Op* find_op(const Graph& graph, OpKind kind);

}  // namespace edgetwin::decode

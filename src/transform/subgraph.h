// Parts of networks, and networks without what nothing needs.
#pragma once

#include <optional>
#include <vector>

#include "graph/graph.h"

namespace edgetwin::transform {

struct Subgraph {
  Graph graph;                               // all values of the whole graph, with their ids
  std::vector<std::optional<size_t>> op_of;  // by operator of the whole graph: its place in `graph`
};

// The operators that compute `outputs` from `inputs`, in running order. Values that `inputs` do not
// cover come from the operators before them.
Subgraph subgraph(const Graph& whole, std::vector<ValueId> inputs, std::vector<ValueId> outputs);

// The operators that `outputs` need, with these as the graph's outputs; inputs and values stay.
Graph part_for(const Graph& graph, std::vector<ValueId> outputs);

// The first operator of a kind, or null.
const Op* find_op(const Graph& graph, OpKind kind);

// Removes values that no operator has as an operand or result and that are neither inputs nor
// outputs of the graph. Values get new ids.
void remove_unused_values(Graph& graph);

// Removes operators none of whose results an output needs, then such values.
void remove_unused(Graph& graph);

}  // namespace edgetwin::transform

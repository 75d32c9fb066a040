// Layers found in a graph.
#pragma once

#include <string>

#include "graph/graph.h"
#include "targets/max78/convert/draft/draft.h"

namespace edgetwin::max78 {

// Patterns of the graph become layers. Everything that has no layer is a misfit of the draft.
// `fold`: of the input, where the first layer has a stride.
Draft match(const Graph& graph, ai8x::Device device, const std::string& name, bool fold = false);

}  // namespace edgetwin::max78

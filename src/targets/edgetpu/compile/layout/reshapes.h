// Operators that the vendor's compiler has in another order with RESHAPE than the file.
#pragma once

#include <utility>
#include <vector>

#include "graph/graph.h"

namespace edgetwin::edgetpu::compiler {

// A RESHAPE that alone takes what an operator makes of a tensor and of a constant with as many
// elements comes before that operator: the constant gets its shape. Changes the graph, in which
// both keep their places in the list of operators; gives these places.
std::vector<std::pair<size_t, size_t>> reshapes_first(Graph& graph);

}  // namespace edgetwin::edgetpu::compiler

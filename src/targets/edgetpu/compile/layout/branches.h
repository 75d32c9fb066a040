// The order of a network's operators.
#pragma once

#include <vector>

#include "graph/graph.h"

namespace edgetwin::edgetpu::compiler {

// The operators in another order, as the vendor's compiler has them: a convolution that reads what
// a block of three layers reads, too, comes after the block where that ends in a smaller tensor.
std::vector<size_t> later_branches(const Graph& graph, std::vector<size_t> ops);

}  // namespace edgetwin::edgetpu::compiler

// An order of a network's operators in which those of the chip stand together.
#pragma once

#include <vector>

#include "graph/graph.h"

namespace edgetwin::edgetpu::compiler {

// Where an operator belongs.
enum class Side : uint8_t {
  chip,
  host,
  either,  // it changes no byte
};

// As the file has them.
std::vector<size_t> order_of_file(const Graph& graph);
// Every operator after those that it reads; what can run on one side does before the other side
// goes on. Operators whose results or state something else may read without an edge in the graph
// keep their order. Runs of the chip are never more than in the order of the file.
std::vector<size_t> order_by_side(const Graph& graph, const std::vector<Side>& sides);

}  // namespace edgetwin::edgetpu::compiler

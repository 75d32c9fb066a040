// An order of a network's operators in which those of the chip stand together.
#pragma once

#include <vector>

#include "graph/graph.h"
#include "targets/edgetpu/compile/plan/segment.h"

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

// Elements of these tensors.
int64_t elements_of(const Graph& graph, const std::vector<ValueId>& ids);
// What the first run of two takes and leaves, and the second one takes, in the order of the time
// that it needs: a byte out of the chip needs as long as three in (outlook/causes.cc).
int64_t bytes_of_runs(const Graph& graph, const Segment& first, const Segment& second);

}  // namespace edgetwin::edgetpu::compiler

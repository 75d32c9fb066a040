// A network of which the compiler put parts into the chip's instructions: which operators run
// where.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/result.h"
#include "graph/graph.h"

namespace edgetwin::edgetpu {

// A run of operators in the order of the graph.
struct GraphPart {
  bool on_device = false;
  size_t first = 0, count = 0;  // operators; a part on the device is one
  // Values of the whole graph that come from other parts or the caller, and that go there. Of a
  // part on the device: the operator's own.
  std::vector<ValueId> inputs, outputs;
  // The operators as a graph of their own, for parts of the host.
  std::shared_ptr<const Graph> graph;
};

bool is_compiled_op(const Op& op);

// Which operators belong together: `first` and `count` only.
std::vector<GraphPart> graph_parts(const Graph& graph);
// Variables of compiled operators: a device's driver does not keep them, whoever runs the programs
// may.
enum class States : uint8_t { refused, kept };
// Error: device_request, where a part needs a variable of another one, or that is not kept.
Result<std::vector<GraphPart>> split(const Graph& graph, States states = States::refused);

// "2 operators on the host, then the Edge TPU, ..."; and why the device stops where it does.
struct SplitLine {
  std::string where, what, why;  // "host", "#1 RESIZE_BILINEAR 'x' … #7 ARG_MAX 'y' (7 operators)"
};
std::vector<SplitLine> describe_split(const Graph& graph, const std::vector<GraphPart>& parts);

}  // namespace edgetwin::edgetpu

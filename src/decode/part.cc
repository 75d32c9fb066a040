#include "decode/part.h"

#include <algorithm>

#include "transform/subgraph.h"

namespace edgetwin::decode {

std::optional<Graph> graph_with_maps(const Graph& graph, const std::string& decoder,
                                     std::optional<PosenetAttrs>& options) {
  const Op* op = transform::find_op(graph, OpKind::posenet_decoder);
  if (op == nullptr || (decoder != "posenet" && decoder != "bodypix")) return std::nullopt;
  options = op->as<PosenetAttrs>();
  if (decoder == "posenet" && op->inputs.size() == 3) return std::nullopt;
  std::vector<ValueId> outputs = op->inputs;
  for (const ValueId id : graph.outputs) {
    const bool of_decoder =
        std::find(op->outputs.begin(), op->outputs.end(), id) != op->outputs.end();
    if (!of_decoder && std::find(outputs.begin(), outputs.end(), id) == outputs.end()) {
      outputs.push_back(id);
    }
  }
  std::erase(outputs, kAbsent);
  return transform::part_for(graph, std::move(outputs));
}

}  // namespace edgetwin::decode

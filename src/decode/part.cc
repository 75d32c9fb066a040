#include "decode/part.h"

#include <algorithm>

namespace edgetwin::decode {

Graph part_for(const Graph& graph, std::vector<ValueId> outputs) {
  std::vector<bool> needed(graph.values.size(), false);
  for (const ValueId id : outputs) needed[static_cast<size_t>(id)] = true;
  std::vector<Op> ops;
  for (auto op = graph.ops.rbegin(); op != graph.ops.rend(); ++op) {
    const bool used = std::any_of(op->outputs.begin(), op->outputs.end(), [&](ValueId id) {
      return id != kAbsent && needed[static_cast<size_t>(id)];
    });
    if (!used) continue;
    for (const ValueId id : op->inputs) {
      if (id != kAbsent) needed[static_cast<size_t>(id)] = true;
    }
    ops.push_back(*op);
  }
  std::reverse(ops.begin(), ops.end());
  Graph part = graph;
  part.ops = std::move(ops);
  part.outputs = std::move(outputs);
  return part;
}

const Op* find_op(const Graph& graph, OpKind kind) {
  const auto found = std::find_if(graph.ops.begin(), graph.ops.end(),
                                  [kind](const Op& op) { return op.kind == kind; });
  return found == graph.ops.end() ? nullptr : &*found;
}

std::optional<Graph> graph_with_maps(const Graph& graph, const std::string& decoder,
                                     std::optional<PosenetAttrs>& options) {
  const Op* op = find_op(graph, OpKind::posenet_decoder);
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
  return part_for(graph, std::move(outputs));
}

}  // namespace edgetwin::decode

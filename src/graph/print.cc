#include <algorithm>

#include "graph/graph.h"

namespace edgetwin {
namespace {

std::string value_text(const Graph& graph, ValueId id) {
  if (id == kAbsent) return "-";
  const Value& v = graph.value(id);
  std::string text = "%" + std::to_string(id) + " " + (v.has_shape ? to_string(v.shape) : "?") +
                     " " + std::string(name(v.dtype));
  if (v.is_constant()) text += " const";
  return text;
}

std::string list_text(const Graph& graph, const std::vector<ValueId>& ids) {
  std::string text;
  for (const ValueId id : ids) text += (text.empty() ? "" : ", ") + value_text(graph, id);
  return text;
}

}  // namespace

std::string print(const Graph& graph) {
  std::string text;
  for (const ValueId id : graph.inputs) {
    text += "input  " + value_text(graph, id) + " '" + graph.value(id).name + "' " +
            to_string(graph.value(id).quant) + "\n";
  }
  for (size_t i = 0; i < graph.ops.size(); ++i) {
    const Op& op = graph.ops[i];
    text += "#" + std::to_string(i) + " " + op_type_name(op) + " (" + list_text(graph, op.inputs) +
            ") -> " + list_text(graph, op.outputs) + "\n";
  }
  for (const ValueId id : graph.outputs) {
    text += "output " + value_text(graph, id) + " '" + graph.value(id).name + "' " +
            to_string(graph.value(id).quant) + "\n";
  }
  return text;
}

}  // namespace edgetwin

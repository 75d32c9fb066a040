// x * Sigmoid(x) as one operator. Upstream does so only where x comes from a computing or passive
// operator; an x that is an input of the network keeps two.
#include <algorithm>

#include "quantize/passes.h"

namespace edgetwin::quantize {
namespace {

std::vector<size_t> users(const Graph& graph, ValueId id) {
  std::vector<size_t> all;
  for (size_t i = 0; i < graph.ops.size(); ++i) {
    const auto& in = graph.ops[i].inputs;
    if (std::find(in.begin(), in.end(), id) != in.end()) all.push_back(i);
  }
  return all;
}

const Op* maker(const Graph& graph, ValueId id) {
  for (const Op& op : graph.ops) {
    if (std::find(op.outputs.begin(), op.outputs.end(), id) != op.outputs.end()) return &op;
  }
  return nullptr;
}

bool is_output(const Graph& graph, ValueId id) {
  return std::find(graph.outputs.begin(), graph.outputs.end(), id) != graph.outputs.end();
}

// The multiplication that makes a Swish of the Sigmoid at `index`.
std::optional<size_t> partner(const Graph& graph, size_t index) {
  const Op& sigmoid = graph.ops[index];
  const ValueId gate = sigmoid.outputs[0];
  const auto behind = users(graph, gate);
  if (behind.size() != 1 || is_output(graph, gate)) return std::nullopt;
  const Op& mul = graph.ops[behind[0]];
  if (mul.kind != OpKind::mul) return std::nullopt;
  const ValueId other = mul.inputs[0] == gate ? mul.inputs[1] : mul.inputs[0];
  return other == sigmoid.inputs[0] ? std::optional(behind[0]) : std::nullopt;
}

}  // namespace

Status fuse_swish(Graph& graph, bool everywhere) {
  std::vector<bool> gone(graph.ops.size());
  for (size_t i = 0; i < graph.ops.size(); ++i) {
    if (graph.ops[i].kind != OpKind::logistic) continue;
    const auto mul = partner(graph, i);
    if (!mul) continue;
    const Op* source = maker(graph, graph.ops[i].inputs[0]);
    const OperatorInfo* row = source == nullptr ? nullptr : operator_info(source->kind);
    const bool fits = row != nullptr && (row->role == Role::computing || row->role == Role::passive);
    if (!fits && !everywhere) continue;
    Op swish;
    swish.kind = OpKind::swish;
    swish.type = "Swish";
    swish.name = (source == nullptr ? graph.ops[i].name : source->name) + "/Swish";
    swish.attrs = default_attrs(OpKind::swish);
    swish.inputs = graph.ops[i].inputs;
    swish.outputs = graph.ops[*mul].outputs;
    graph.ops[*mul] = std::move(swish);
    gone[i] = true;
  }
  size_t index = 0;
  std::erase_if(graph.ops, [&](const Op&) { return gone[index++]; });
  return Ok{};
}

}  // namespace edgetwin::quantize

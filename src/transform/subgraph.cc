#include "transform/subgraph.h"

#include <algorithm>
#include <utility>

namespace edgetwin::transform {
namespace {

size_t index(ValueId id) { return static_cast<size_t>(id); }

// By operator: whether one of its results is needed for `outputs`, where `inputs` are given.
std::vector<bool> needed_ops(const Graph& graph, const std::vector<ValueId>& inputs,
                             const std::vector<ValueId>& outputs) {
  std::vector<bool> needed(graph.values.size(), false);
  std::vector<bool> given(graph.values.size(), false);
  for (const ValueId id : outputs) needed[index(id)] = true;
  for (const ValueId id : inputs) given[index(id)] = true;
  std::vector<bool> kept(graph.ops.size(), false);
  for (size_t i = graph.ops.size(); i-- > 0;) {
    const Op& op = graph.ops[i];
    kept[i] = std::any_of(op.outputs.begin(), op.outputs.end(), [&](ValueId id) {
      return id != kAbsent && needed[index(id)] && !given[index(id)];
    });
    if (!kept[i]) continue;
    for (const ValueId id : op.inputs) {
      if (id != kAbsent) needed[index(id)] = true;
    }
  }
  return kept;
}

void keep_ops(Graph& graph, const std::vector<bool>& kept) {
  std::vector<Op> ops;
  for (size_t i = 0; i < kept.size(); ++i) {
    if (kept[i]) ops.push_back(std::move(graph.ops[i]));
  }
  graph.ops = std::move(ops);
}

// Every id list of the graph.
template <class Function>
void for_all_ids(Graph& graph, Function&& change) {
  for (ValueId& id : graph.inputs) change(id);
  for (ValueId& id : graph.outputs) change(id);
  for (Op& op : graph.ops) {
    for (auto* list : {&op.inputs, &op.outputs, &op.intermediates}) {
      for (ValueId& id : *list) change(id);
    }
    change(op.table);
  }
}

}  // namespace

Subgraph subgraph(const Graph& whole, std::vector<ValueId> inputs, std::vector<ValueId> outputs) {
  const std::vector<bool> kept = needed_ops(whole, inputs, outputs);
  Subgraph part;
  part.op_of.resize(whole.ops.size());
  size_t place = 0;
  for (size_t i = 0; i < kept.size(); ++i) {
    if (kept[i]) part.op_of[i] = place++;
  }
  part.graph = whole;
  keep_ops(part.graph, kept);
  part.graph.inputs = std::move(inputs);
  part.graph.outputs = std::move(outputs);
  return part;
}

Graph part_for(const Graph& graph, std::vector<ValueId> outputs) {
  Graph part = graph;
  keep_ops(part, needed_ops(graph, {}, outputs));
  part.outputs = std::move(outputs);
  return part;
}

const Op* find_op(const Graph& graph, OpKind kind) {
  const auto found = std::find_if(graph.ops.begin(), graph.ops.end(),
                                  [kind](const Op& op) { return op.kind == kind; });
  return found == graph.ops.end() ? nullptr : &*found;
}

void remove_unused_values(Graph& graph) {
  std::vector<bool> used(graph.values.size(), false);
  for_all_ids(graph, [&](ValueId id) {
    if (id != kAbsent) used[index(id)] = true;
  });
  std::vector<ValueId> new_id(graph.values.size(), kAbsent);
  std::vector<Value> values;
  for (size_t i = 0; i < used.size(); ++i) {
    if (!used[i]) continue;
    new_id[i] = static_cast<ValueId>(values.size());
    values.push_back(std::move(graph.values[i]));
  }
  graph.values = std::move(values);
  for_all_ids(graph, [&](ValueId& id) {
    if (id != kAbsent) id = new_id[index(id)];
  });
}

void remove_unused(Graph& graph) {
  keep_ops(graph, needed_ops(graph, {}, graph.outputs));
  remove_unused_values(graph);
}

}  // namespace edgetwin::transform

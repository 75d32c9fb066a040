#include "report/model/model_info.h"

#include <algorithm>
#include <set>

#include "report/format.h"

namespace edgetwin::report {
namespace {

// Small integer constants are axes, shapes and paddings: settings, not parameters.
bool is_setting(const Value& v) {
  return (v.dtype == DType::int32 || v.dtype == DType::int64) && !v.quant.present() &&
         v.has_shape && v.shape.elements() <= Shape::kMaxRank * 2;
}

void count_parameters(const Graph& graph, const Op& op, OpRow& row) {
  for (const ValueId id : op.inputs) {
    if (id == kAbsent || !graph.value(id).is_constant()) continue;
    const Value& v = graph.value(id);
    row.parameter_bytes += static_cast<int64_t>(v.constant->size());
    if (v.has_shape && !is_setting(v)) row.parameters += v.shape.elements();
  }
}

OpRow describe_op(const Graph& graph, size_t index, const std::vector<Shape>& shapes) {
  const Op& op = graph.ops[index];
  OpRow row;
  row.index = index;
  row.type = op_type_name(op);
  row.known = op.kind != OpKind::opaque;
  row.name = op.name;
  if (row.name.empty() && !op.outputs.empty() && op.outputs[0] != kAbsent) {
    row.name = graph.value(op.outputs[0]).name;
  }
  row.inputs = op.inputs;
  row.outputs = op.outputs;
  count_parameters(graph, op, row);
  for (const ValueId id : op.outputs) {
    if (id == kAbsent) continue;
    const Shape& shape = shapes[static_cast<size_t>(id)];
    if (shape.is_static()) row.out_bytes += storage_bytes(graph.value(id).dtype, shape.elements());
  }
  return row;
}

void add_plan(const exec::Session& session, ModelSummary& summary) {
  int64_t macs = 0;
  for (const exec::Step& step : session.steps()) {
    OpRow& row = summary.ops[step.op_index];
    row.macs = step.macs;
    row.path = step.folded ? "folded" : step.path;
    if (!step.folded) macs += step.macs;
  }
  summary.macs = macs;
  summary.memory = session.memory();
  const auto& findings = session.findings();
  summary.findings.insert(summary.findings.end(), findings.begin(), findings.end());
}

void count_types(ModelSummary& summary) {
  std::map<std::string, int64_t> by_type;
  std::set<std::string> opaque;
  for (const OpRow& row : summary.ops) {
    ++by_type[row.type];
    if (!row.known) opaque.insert(row.type);
  }
  summary.counts.assign(by_type.begin(), by_type.end());
  std::stable_sort(summary.counts.begin(), summary.counts.end(),
                   [](const auto& a, const auto& b) { return a.second > b.second; });
  summary.opaque.assign(opaque.begin(), opaque.end());
}

int64_t all_constant_bytes(const Graph& graph) {
  std::set<const Bytes*> seen;
  int64_t bytes = 0;
  for (const Value& v : graph.values) {
    if (v.is_constant() && seen.insert(v.constant.get()).second) {
      bytes += static_cast<int64_t>(v.constant->size());
    }
  }
  return bytes;
}

}  // namespace

ModelSummary summarize(const Model& model, const exec::Session* session) {
  const Graph& graph = model.main();
  ModelSummary summary;
  summary.findings = model.findings;
  for (size_t i = 0; i < graph.values.size(); ++i) {
    summary.shapes.push_back(session ? session->shape(static_cast<ValueId>(i))
                                     : graph.values[i].shape);
  }
  std::set<ValueId> counted;
  for (size_t i = 0; i < graph.ops.size(); ++i) {
    summary.ops.push_back(describe_op(graph, i, summary.shapes));
    for (const ValueId id : graph.ops[i].inputs) {
      if (id == kAbsent || !graph.value(id).is_constant() || !counted.insert(id).second) continue;
      if (graph.value(id).has_shape && !is_setting(graph.value(id))) {
        summary.parameters += graph.value(id).shape.elements();
      }
    }
  }
  summary.constant_bytes = all_constant_bytes(graph);
  count_types(summary);
  if (session) add_plan(*session, summary);
  return summary;
}

std::string value_text(const Graph& graph, ValueId id, const Shape& shape) {
  const Value& v = graph.value(id);
  const std::string quant = to_string(v.quant);
  return (v.has_shape ? to_string(shape) : "shape unknown") + " " + std::string(name(v.dtype)) +
         (quant.empty() ? "" : " " + quant);
}

}  // namespace edgetwin::report

#include "report/model/attributes.h"
#include "report/model/model_info.h"

namespace edgetwin::report {
namespace {

Json tensor_json(const Graph& graph, ValueId id, const Shape& shape) {
  const Value& v = graph.value(id);
  Json j = Json::object();
  j.set("index", id).set("name", v.name).set("type", name(v.dtype));
  j.set("shape", v.has_shape ? to_json(shape) : Json());
  j.set("kind", v.is_constant() ? "constant" : v.is_variable ? "variable" : "activation");
  if (v.is_constant()) j.set("bytes", static_cast<int64_t>(v.constant->size()));
  set_quant(j, v.quant);
  return j;
}

Json op_json(const Graph& graph, const OpRow& row) {
  const Op& op = graph.ops[row.index];
  Json j = Json::object();
  j.set("index", row.index).set("type", row.type).set("name", row.name);
  j.set("version", op.version).set("known", row.known);
  j.set("inputs", Json::list(row.inputs)).set("outputs", Json::list(row.outputs));
  j.set("options", attributes_json(graph, op));
  j.set("parameters", row.parameters).set("parameter_bytes", row.parameter_bytes);
  j.set("out_bytes", row.out_bytes);
  j.set("macs", row.macs ? Json(*row.macs) : Json());
  return j;
}

Json memory_json(const exec::MemoryPlan& m) {
  static constexpr const char* kKinds[] = {"none", "constant", "arena", "variable", "input"};
  Json j = Json::object();
  j.set("arena_bytes", m.arena_bytes).set("unplanned_bytes", m.unplanned_bytes);
  j.set("peak_lower_bound", m.peak_lower_bound).set("constant_bytes", m.constant_bytes);
  Json list = Json::array();
  for (size_t i = 0; i < m.placements.size(); ++i) {
    const exec::Placement& p = m.placements[i];
    if (p.kind == exec::Placement::Kind::none || p.kind == exec::Placement::Kind::constant)
      continue;
    Json place = Json::object();
    place.set("tensor", i).set("kind", kKinds[static_cast<size_t>(p.kind)]);
    place.set("offset", p.offset).set("bytes", p.bytes);
    place.set("first_step", p.first_step).set("last_step", p.last_step);
    list.push(std::move(place));
  }
  return j.set("placements", std::move(list));
}

Json signatures_json(const Model& model) {
  const auto bindings = [](const std::vector<Signature::Binding>& from) {
    Json j = Json::object();
    for (const auto& b : from) j.set(b.name, b.value);
    return j;
  };
  Json list = Json::array();
  for (const Signature& s : model.signatures) {
    Json j = Json::object();
    j.set("key", s.key).set("graph", s.graph);
    list.push(j.set("inputs", bindings(s.inputs)).set("outputs", bindings(s.outputs)));
  }
  return list;
}

template <class Range, class Function>
Json mapped(const Range& range, const Function& function) {
  Json list = Json::array();
  for (const auto& item : range) list.push(function(item));
  return list;
}

Json subgraph_json(const Graph& graph) {
  Json j = Json::object();
  j.set("name", graph.name).set("operators", graph.ops.size());
  return j.set("tensors", graph.values.size());
}

}  // namespace

Json model_json(const Model& model, const ModelSummary& s) {
  const Graph& graph = model.main();
  Json j = Json::object();
  j.set("description", model.description);
  j.set("inputs", Json::list(graph.inputs)).set("outputs", Json::list(graph.outputs));
  Json counts = Json::object();
  for (const auto& [type, count] : s.counts) counts.set(type, count);
  j.set("operator_counts", std::move(counts)).set("opaque", Json::list(s.opaque));
  j.set("parameters", s.parameters).set("constant_bytes", s.constant_bytes);
  j.set("macs", s.macs ? Json(*s.macs) : Json());
  j.set("memory", s.memory ? memory_json(*s.memory) : Json());
  j.set("operators", mapped(s.ops, [&](const OpRow& row) { return op_json(graph, row); }));
  Json tensors = Json::array();
  for (size_t i = 0; i < graph.values.size(); ++i) {
    tensors.push(tensor_json(graph, static_cast<ValueId>(i), s.shapes[i]));
  }
  j.set("tensors", std::move(tensors));
  j.set("subgraphs", mapped(model.graphs, subgraph_json));
  j.set("signatures", signatures_json(model));
  j.set("metadata", mapped(model.metadata, [](const NamedBytes& m) {
          Json entry = Json::object();
          return entry.set("name", m.name).set("bytes", m.data.size());
        }));
  return j.set("findings", mapped(s.findings, [](const Finding& f) { return to_json(f); }));
}

}  // namespace edgetwin::report

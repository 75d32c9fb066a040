// What interpreters show of a network's structure.
#include "base/json/json.h"
#include "twin/tensors/engine.h"

namespace edgetwin::twin {
namespace {

Json bindings(const std::vector<Signature::Binding>& from) {
  Json j = Json::object();
  for (const Signature::Binding& b : from) j.set(b.name, b.value);
  return j;
}

Json operators(const Graph& graph) {
  Json list = Json::array();
  for (size_t i = 0; i < graph.ops.size(); ++i) {
    const Op& op = graph.ops[i];
    Json j = Json::object();
    j.set("index", i).set("op_name", op_type_name(op));
    j.set("inputs", Json::list(op.inputs)).set("outputs", Json::list(op.outputs));
    list.push(std::move(j));
  }
  return list;
}

}  // namespace

std::string structure_json(const Model* model, size_t graph, const TensorTable& table) {
  Json j = Json::object();
  j.set("description", model == nullptr ? "" : model->description);
  j.set("graph", graph).set("tensors", table.rows.size());
  j.set("subgraphs", model == nullptr ? size_t{1} : model->graphs.size());
  Json signatures = Json::array();
  if (model != nullptr) {
    for (const Signature& s : model->signatures) {
      Json one = Json::object();
      one.set("key", s.key).set("graph", s.graph);
      one.set("inputs", bindings(s.inputs)).set("outputs", bindings(s.outputs));
      signatures.push(std::move(one));
    }
  }
  j.set("signatures", std::move(signatures));
  j.set("operators", model == nullptr ? Json::array() : operators(model->graphs[graph]));
  return j.text();
}

}  // namespace edgetwin::twin

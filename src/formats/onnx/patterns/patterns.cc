#include "formats/onnx/patterns/patterns.h"

#include <algorithm>
#include <cmath>

namespace edgetwin::onnx {
namespace {

// Constant of every form, as an initializer.
std::optional<TensorData> constant_of(const Node& n) {
  TensorData t;
  for (const Attribute& a : n.attributes) {
    std::vector<float> reals;
    std::vector<int64_t> integers;
    const bool scalar = a.name == "value_float" || a.name == "value_int";
    if (a.name == "value" && a.kind == Attribute::Kind::tensor) {
      t = a.tensor;
    } else if (a.name == "value_float") {
      reals = {a.real};
    } else if (a.name == "value_floats") {
      reals = a.reals;
    } else if (a.name == "value_int") {
      integers = {a.integer};
    } else if (a.name == "value_ints") {
      integers = a.integers;
    } else {
      continue;
    }
    if (t.data == nullptr) {
      const bool real = a.name.starts_with("value_float");
      t.dtype = real ? DType::float32 : DType::int64;
      const size_t count = real ? reals.size() : integers.size();
      if (!scalar) t.shape.push_back(static_cast<int64_t>(count));
      const auto bytes =
          real ? std::as_bytes(std::span(reals)) : std::as_bytes(std::span(integers));
      t.data = std::make_shared<const Bytes>(bytes.begin(), bytes.end());
    }
    t.name = n.outputs.empty() ? "" : n.outputs[0];
    return t;
  }
  return std::nullopt;
}

void take_constant_nodes(Document& d) {
  std::vector<Node> kept;
  for (Node& n : d.nodes) {
    std::optional<TensorData> t;
    if (n.op_type == "Constant" && n.domain.empty()) t = constant_of(n);
    if (t) {
      d.initializers.push_back(std::move(*t));
    } else {
      kept.push_back(std::move(n));
    }
  }
  d.nodes = std::move(kept);
}

using Fuse = void (*)(Pattern&, const Passes&);

}  // namespace

Pattern::Pattern(Document& d) : d_(d) {
  for (size_t i = 0; i < d.nodes.size(); ++i) {
    for (const std::string& name : d.nodes[i].outputs) makers_[name] = i;
    for (const std::string& name : d.nodes[i].inputs) ++uses_[name];
  }
  for (const ValueInfo& v : d.outputs) ++uses_[v.name];
  for (const TensorData& t : d.initializers) constants_[t.name] = &t;
}

Node* Pattern::maker(const std::string& name, std::string_view type) {
  const auto found = makers_.find(name);
  if (name.empty() || found == makers_.end() || dropped_.contains(found->second)) return nullptr;
  Node& n = d_.nodes[found->second];
  return n.op_type == type && n.outputs.size() == 1 && !n.inputs.empty() ? &n : nullptr;
}

Node* Pattern::only_maker(const std::string& name, std::string_view type) {
  return uses(name) == 1 ? maker(name, type) : nullptr;
}

int Pattern::uses(const std::string& name) const {
  const auto found = uses_.find(name);
  return found == uses_.end() ? 0 : found->second;
}

const TensorData* Pattern::constant(const std::string& name) const {
  const auto found = constants_.find(name);
  return found == constants_.end() ? nullptr : found->second;
}

std::optional<float> Pattern::number(const std::string& name) const {
  const TensorData* t = constant(name);
  if (t == nullptr || t->dtype != DType::float32 || t->shape.elements() != 1) return std::nullopt;
  return t->as<float>()[0];
}

bool Pattern::is_number(const std::string& name, float value) const {
  const auto found = number(name);
  return found && std::abs(*found - value) <= 1e-4F * std::max(1.0F, std::abs(value));
}

std::string Pattern::other(const Node& n, const std::string& name) {
  if (n.inputs.size() != 2) return "";
  if (n.inputs[0] == name) return n.inputs[1];
  return n.inputs[1] == name ? n.inputs[0] : "";
}

const Node* Pattern::any_maker(const std::string& name) const {
  const auto found = makers_.find(name);
  return name.empty() || found == makers_.end() ? nullptr : &d_.nodes[found->second];
}

void Pattern::replace(Node& last, Node node, const std::vector<const Node*>& others) {
  for (const Node* n : others) {
    dropped_.insert(static_cast<size_t>(n - d_.nodes.data()));
    for (const std::string& name : n->inputs) --uses_[name];
  }
  for (const std::string& name : last.inputs) --uses_[name];
  for (const std::string& name : node.inputs) ++uses_[name];
  node.index = last.index;
  node.outputs = last.outputs;
  last = std::move(node);
}

void Pattern::finish() {
  std::vector<Node> kept;
  for (size_t i = 0; i < d_.nodes.size(); ++i) {
    if (!dropped_.contains(i)) kept.push_back(std::move(d_.nodes[i]));
  }
  d_.nodes = std::move(kept);
}

void recognise_patterns(Document& d, const Passes& passes) {
  take_constant_nodes(d);
  const std::pair<bool, Fuse> all[] = {{passes.fuse_layer_norm, fuse_layer_norm},
                                       {passes.fuse_gelu, fuse_gelu},
                                       {passes.fuse_hard_swish, fuse_hard_swish},
                                       {passes.fuse_swish, fuse_swish}};
  for (const auto& [wanted, fuse] : all) {
    if (!wanted) continue;
    Pattern p(d);
    fuse(p, passes);
    p.finish();
  }
}

}  // namespace edgetwin::onnx

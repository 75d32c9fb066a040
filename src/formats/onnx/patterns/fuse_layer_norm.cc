#include "formats/onnx/patterns/patterns.h"

namespace edgetwin::onnx {
namespace {

// ReduceMean over the last axis, kept: as an attribute or as an operand.
bool over_last_axis(Pattern& p, const Node& mean) {
  auto axes = mean.integers("axes");
  if (mean.has_input(1)) {
    const TensorData* t = p.constant(mean.inputs[1]);
    if (t == nullptr || t->dtype != DType::int64) return false;
    axes.emplace(t->as<int64_t>().begin(), t->as<int64_t>().end());
  }
  return axes && axes->size() == 1 && (*axes)[0] == -1 && mean.integer("keepdims").value_or(1) != 0;
}

// Sqrt(ReduceMean((x - mean)^2) + epsilon)
struct Deviation {
  Node *sqrt = nullptr, *add = nullptr, *mean = nullptr, *square = nullptr;
  float epsilon = 0.0F;
};

std::optional<Deviation> deviation(Pattern& p, const std::string& name, const std::string& sub) {
  Deviation d;
  d.sqrt = p.only_maker(name, "Sqrt");
  if (d.sqrt == nullptr) return std::nullopt;
  d.add = p.only_maker(d.sqrt->inputs.at(0), "Add");
  if (d.add == nullptr || d.add->inputs.size() != 2) return std::nullopt;
  const size_t number = p.number(d.add->inputs[0]) ? 0 : 1;
  const auto epsilon = p.number(d.add->inputs[number]);
  if (!epsilon) return std::nullopt;
  d.epsilon = *epsilon;
  d.mean = p.only_maker(d.add->inputs[1 - number], "ReduceMean");
  if (d.mean == nullptr || !over_last_axis(p, *d.mean)) return std::nullopt;
  const std::string& squared = d.mean->inputs.at(0);
  d.square = p.only_maker(squared, "Pow");
  if (d.square != nullptr) {
    const bool fits = d.square->inputs.size() == 2 && d.square->inputs[0] == sub &&
                      p.is_number(d.square->inputs[1], 2.0F);
    return fits ? std::optional(d) : std::nullopt;
  }
  d.square = p.only_maker(squared, "Mul");
  const bool fits = d.square != nullptr && d.square->inputs.size() == 2 &&
                    d.square->inputs[0] == sub && d.square->inputs[1] == sub;
  return fits ? std::optional(d) : std::nullopt;
}

// A constant of one dimension that `n` adds or multiplies to the value.
const TensorData* row_constant(Pattern& p, const Node* n, const std::string& value) {
  if (n == nullptr) return nullptr;
  const TensorData* t = p.constant(Pattern::other(*n, value));
  return t != nullptr && t->shape.rank() == 1 ? t : nullptr;
}

Node* only_user(Pattern& p, const std::string& value, std::string_view type) {
  if (p.uses(value) != 1) return nullptr;
  for (Node& n : p.document().nodes) {
    const bool single = n.op_type == type && n.outputs.size() == 1;
    if (single && !Pattern::other(n, value).empty()) return &n;
  }
  return nullptr;
}

void match_layer_norm(Pattern& p, Node& div) {
  const std::string sub_name = div.inputs[0];
  Node* sub = p.maker(sub_name, "Sub");
  if (sub == nullptr || sub->inputs.size() != 2) return;
  Node* mean = p.only_maker(sub->inputs[1], "ReduceMean");
  if (mean == nullptr || mean->inputs.at(0) != sub->inputs[0] || !over_last_axis(p, *mean)) return;
  const auto d = deviation(p, div.inputs[1], sub_name);
  if (!d) return;
  // Everything that uses the difference belongs to the pattern.
  const int inside = d->square->op_type == "Mul" ? 3 : 2;
  if (p.uses(sub_name) != inside) return;
  Node* mul = only_user(p, div.outputs[0], "Mul");
  const TensorData* scale = row_constant(p, mul, div.outputs[0]);
  if (scale == nullptr) return;
  std::vector<const Node*> nodes = {mean, sub, d->square, d->mean, d->add, d->sqrt, &div};
  Node norm;
  norm.op_type = "LayerNormalization";
  norm.inputs = {sub->inputs[0], scale->name};
  Attribute epsilon;
  epsilon.name = "epsilon";
  epsilon.kind = Attribute::Kind::real;
  epsilon.real = d->epsilon;
  norm.attributes.push_back(std::move(epsilon));
  Node* add = only_user(p, mul->outputs[0], "Add");
  const TensorData* shift = row_constant(p, add, mul->outputs[0]);
  if (shift != nullptr) {
    norm.inputs.push_back(shift->name);
    nodes.push_back(mul);
  }
  Node& last = shift != nullptr ? *add : *mul;
  norm.name = last.name;
  p.replace(last, std::move(norm), nodes);
}

}  // namespace

// (x - mean) / sqrt(variance + epsilon) * scale + shift over the last axis
void fuse_layer_norm(Pattern& p, const Passes& /*passes*/) {
  for (Node& n : p.document().nodes) {
    if (n.op_type == "Div" && n.inputs.size() == 2 && n.outputs.size() == 1) match_layer_norm(p, n);
  }
}

}  // namespace edgetwin::onnx

#include "formats/onnx/patterns/patterns.h"

namespace edgetwin::onnx {
namespace {

// clip(x + 3, 0, 6), as Clip or as a Relu6 in operands or attributes; the name of x.
struct Clipped {
  std::string x;
  Node* clip = nullptr;
  Node* add = nullptr;
};

std::optional<Clipped> clipped_sum(Pattern& p, const std::string& name) {
  Node* clip = p.only_maker(name, "Clip");
  if (clip == nullptr || clip->inputs.empty()) return std::nullopt;
  const bool operands = clip->inputs.size() == 3 && p.is_number(clip->inputs[1], 0.0F) &&
                        p.is_number(clip->inputs[2], 6.0F);
  const bool attributes = clip->inputs.size() == 1 && clip->real("min").value_or(-1.0F) == 0.0F &&
                          clip->real("max").value_or(0.0F) == 6.0F;
  if (!operands && !attributes) return std::nullopt;
  Node* add = p.only_maker(clip->inputs[0], "Add");
  if (add == nullptr || add->inputs.size() != 2) return std::nullopt;
  for (size_t i = 0; i < 2; ++i) {
    if (p.is_number(add->inputs[i], 3.0F)) return Clipped{add->inputs[1 - i], clip, add};
  }
  return std::nullopt;
}

void put(Pattern& p, Node& last, const std::string& x, const std::vector<const Node*>& others) {
  Node swish;
  swish.op_type = "HardSwish";
  swish.name = last.name;
  swish.inputs = {x};
  p.replace(last, std::move(swish), others);
}

// x * HardSigmoid(x) with the slope 1/6
bool with_hard_sigmoid(Pattern& p, Node& mul) {
  for (const std::string& side : mul.inputs) {
    Node* sigmoid = p.only_maker(side, "HardSigmoid");
    const std::string x = Pattern::other(mul, side);
    if (sigmoid == nullptr || sigmoid->inputs.size() != 1 || sigmoid->inputs[0] != x) continue;
    const float alpha = sigmoid->real("alpha").value_or(0.2F);
    if (alpha < 0.16665F || alpha > 0.16668F || sigmoid->real("beta").value_or(0.5F) != 0.5F) {
      continue;
    }
    put(p, mul, x, {sigmoid});
    return true;
  }
  return false;
}

// x * (clip(x + 3, 0, 6) / 6)
bool divided_first(Pattern& p, Node& mul) {
  for (const std::string& side : mul.inputs) {
    Node* div = p.only_maker(side, "Div");
    Node* sixth = p.only_maker(side, "Mul");
    Node* scaled = div != nullptr ? div : sixth;
    if (scaled == nullptr || scaled->inputs.size() != 2) continue;
    if (!p.is_number(scaled->inputs[1], div != nullptr ? 6.0F : 1.0F / 6.0F)) continue;
    const auto c = clipped_sum(p, scaled->inputs[0]);
    if (!c || c->x != Pattern::other(mul, side)) continue;
    put(p, mul, c->x, {scaled, c->clip, c->add});
    return true;
  }
  return false;
}

// (x * clip(x + 3, 0, 6)) / 6
void divided_last(Pattern& p, Node& last) {
  const bool div = last.op_type == "Div";
  if (last.inputs.size() != 2 || !p.is_number(last.inputs[1], div ? 6.0F : 1.0F / 6.0F)) return;
  Node* mul = p.only_maker(last.inputs[0], "Mul");
  if (mul == nullptr || mul->inputs.size() != 2) return;
  for (const std::string& side : mul->inputs) {
    const auto c = clipped_sum(p, side);
    if (!c || c->x != Pattern::other(*mul, side)) continue;
    put(p, last, c->x, {mul, c->clip, c->add});
    return;
  }
}

}  // namespace

void fuse_hard_swish(Pattern& p, const Passes& /*passes*/) {
  for (Node& n : p.document().nodes) {
    if (n.op_type == "Mul" && n.inputs.size() == 2) {
      if (with_hard_sigmoid(p, n) || divided_first(p, n)) continue;
    }
    if (n.op_type == "Mul" || n.op_type == "Div") divided_last(p, n);
  }
}

}  // namespace edgetwin::onnx

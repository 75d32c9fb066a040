#include <numbers>

#include "formats/onnx/patterns/patterns.h"

namespace edgetwin::onnx {
namespace {

constexpr float kRootHalf = std::numbers::sqrt2_v<float> / 2.0F;

// The factors of a chain of products: numbers are multiplied, everything else is listed.
struct Product {
  float number = 1.0F;
  std::vector<std::string> names;
  std::vector<const Node*> nodes;
};

void collect(Pattern& p, const std::string& name, Product& all, int depth) {
  if (const auto number = p.number(name)) {
    all.number *= *number;
    return;
  }
  Node* mul = depth > 0 ? p.only_maker(name, "Mul") : nullptr;
  if (mul == nullptr || mul->inputs.size() != 2) {
    all.names.push_back(name);
    return;
  }
  all.nodes.push_back(mul);
  for (const std::string& input : mul->inputs) collect(p, input, all, depth - 1);
}

bool near(float a, float b) { return a > b - 1e-3F && a < b + 1e-3F; }

// Erf(x / sqrt 2); the name of x.
std::string inside_erf(Pattern& p, const Node& erf, std::vector<const Node*>& nodes) {
  if (Node* div = p.only_maker(erf.inputs[0], "Div")) {
    if (div->inputs.size() != 2 || !p.is_number(div->inputs[1], std::numbers::sqrt2_v<float>)) {
      return "";
    }
    nodes.push_back(div);
    return div->inputs[0];
  }
  Product inner;
  collect(p, erf.inputs[0], inner, 1);
  nodes.insert(nodes.end(), inner.nodes.begin(), inner.nodes.end());
  return inner.names.size() == 1 && near(inner.number, kRootHalf) ? inner.names[0] : "";
}

// x + 0.044715 x^3; the name of x.
std::string cubic(Pattern& p, const std::string& sum, std::vector<const Node*>& nodes) {
  Node* add = p.only_maker(sum, "Add");
  if (add == nullptr || add->inputs.size() != 2) return "";
  for (size_t i = 0; i < 2; ++i) {
    const std::string& x = add->inputs[1 - i];
    Product term;
    collect(p, add->inputs[i], term, 3);
    if (!near(term.number, 0.044715F)) continue;
    std::vector<const Node*> found = {add};
    found.insert(found.end(), term.nodes.begin(), term.nodes.end());
    bool power =
        term.names.size() == 3 && term.names[0] == x && term.names[1] == x && term.names[2] == x;
    if (term.names.size() == 1) {
      Node* pow = p.only_maker(term.names[0], "Pow");
      power = pow != nullptr && pow->inputs.size() == 2 && pow->inputs[0] == x &&
              p.is_number(pow->inputs[1], 3.0F);
      found.push_back(pow);
    }
    if (!power) continue;
    nodes.insert(nodes.end(), found.begin(), found.end());
    return x;
  }
  return "";
}

// Tanh(sqrt(2 / pi) * (x + 0.044715 x^3)); the name of x.
std::string inside_tanh(Pattern& p, const Node& tanh, std::vector<const Node*>& nodes) {
  Product inner;
  collect(p, tanh.inputs[0], inner, 1);
  if (inner.names.size() != 1 || !near(inner.number, 0.7978845F)) return "";
  nodes.insert(nodes.end(), inner.nodes.begin(), inner.nodes.end());
  return cubic(p, inner.names[0], nodes);
}

// Whether the product that ends in `last` is 0.5 * x * (1 + f(x)).
void match(Pattern& p, Node& last) {
  Product outer;
  for (const std::string& input : last.inputs) collect(p, input, outer, 2);
  if (outer.names.size() != 2 || !near(outer.number, 0.5F)) return;
  for (size_t i = 0; i < 2; ++i) {
    Node* add = p.only_maker(outer.names[i], "Add");
    if (add == nullptr || add->inputs.size() != 2) continue;
    const size_t one = p.is_number(add->inputs[0], 1.0F) ? 0 : 1;
    if (!p.is_number(add->inputs[one], 1.0F)) continue;
    const std::string& function = add->inputs[1 - one];
    Node* erf = p.only_maker(function, "Erf");
    Node* tanh = p.only_maker(function, "Tanh");
    if (erf == nullptr && tanh == nullptr) continue;
    std::vector<const Node*> nodes = outer.nodes;
    nodes.push_back(add);
    nodes.push_back(erf != nullptr ? erf : tanh);
    const std::string x =
        erf != nullptr ? inside_erf(p, *erf, nodes) : inside_tanh(p, *tanh, nodes);
    if (x.empty() || x != outer.names[1 - i]) continue;
    Node gelu;
    gelu.op_type = "Gelu";
    gelu.name = last.name;
    gelu.inputs = {x};
    if (erf == nullptr) {
      Attribute a;
      a.name = "approximate";
      a.kind = Attribute::Kind::text;
      a.text = "tanh";
      gelu.attributes.push_back(std::move(a));
    }
    p.replace(last, std::move(gelu), nodes);
    return;
  }
}

}  // namespace

// 0.5 * x * (1 + Erf(x / sqrt 2)), factors in any order, and the approximation by Tanh.
void fuse_gelu(Pattern& p, const Passes& /*passes*/) {
  for (Node& n : p.document().nodes) {
    if (n.op_type == "Mul" && n.inputs.size() == 2) match(p, n);
  }
}

}  // namespace edgetwin::onnx

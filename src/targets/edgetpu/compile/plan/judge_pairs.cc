#include "targets/edgetpu/compile/plan/judge.h"

namespace edgetwin::edgetpu::compiler {

Answer check_sum(const Graph& g, size_t index) {
  const Op& op = g.ops[index];
  const Value& a = g.value(op.inputs[0]);
  const Value& b = g.value(op.inputs[1]);
  if (auto r = check_activation(index, op.as<BinaryAttrs>().activation)) return r;
  if (a.is_constant() || (b.is_constant() && !is_number(b))) {
    return no(Rule::attributes, index, "one of its operands is a constant of several numbers");
  }
  const bool same = (is_number(b) || a.shape == b.shape) && a.shape == g.value(op.outputs[0]).shape;
  if (!is_map(a) || !same) {
    return no(Rule::shape, index,
              "its operands are " + to_string(a.shape) + " and " + to_string(b.shape) +
                  ", not two pictures of one size");
  }
  return std::nullopt;
}

Answer check_product(const Graph& g, size_t index) {
  const Op& op = g.ops[index];
  if (auto r = check_activation(index, op.as<BinaryAttrs>().activation)) return r;
  const Value& out = g.value(op.outputs[0]);
  const bool first = is_number(g.value(op.inputs[0]));
  const Value& a = g.value(op.inputs[first ? 1 : 0]);
  const Value& b = g.value(op.inputs[first ? 0 : 1]);
  const bool same = is_number(b) || (!b.is_constant() && a.shape == b.shape);
  if (a.is_constant() || !same || !is_map(a) || a.shape != out.shape) {
    return no(Rule::shape, index,
              "its operands are " + to_string(a.shape) + " and " + to_string(b.shape) +
                  (b.is_constant() ? ", a constant" : "") +
                  "; two pictures of one size are multiplied, or one and a number");
  }
  return std::nullopt;
}

Answer check_join(const Graph& g, size_t index) {
  const Op& op = g.ops[index];
  const auto& a = op.as<ConcatAttrs>();
  if (auto r = check_activation(index, a.activation)) return r;
  const Value& out = g.value(op.outputs[0]);
  const int axis = a.axis < 0 ? a.axis + out.shape.rank() : a.axis;
  if (!is_map(out) || axis != 3) {
    return no(Rule::shape, index,
              "it joins " + to_string(out.shape) + " along axis " + std::to_string(axis) +
                  "; only channels of pictures are joined");
  }
  int64_t channels = 0;
  for (const ValueId id : op.inputs) {
    const Shape& in = g.value(id).shape;
    const bool same =
        in.rank() == 4 && in[0] == 1 && in[1] == out.shape[1] && in[2] == out.shape[2];
    channels += same ? in[3] : 0;
  }
  if (channels != out.shape[3]) return no_sizes(g, index);
  for (size_t k = 0; k < op.inputs.size(); ++k) {
    const Value& in = g.value(op.inputs[k]);
    if (in.is_constant()) return no(Rule::attributes, index, "one of its parts is a constant");
    if (auto r = check_value(g, index, op.inputs[k])) return r;
    if (k + 1 < op.inputs.size() && in.shape[3] % 4 != 0) {
      return no(Rule::shape, index,
                "its part " + std::to_string(k) + " has " + std::to_string(in.shape[3]) +
                    " channels, no multiple of 4");
    }
  }
  return std::nullopt;
}

}  // namespace edgetwin::edgetpu::compiler

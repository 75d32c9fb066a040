#include <algorithm>

#include "targets/edgetpu/compile/judge/judge.h"

namespace edgetwin::edgetpu::compiler {

namespace {

// Positions and channels, or one position.
bool has_elements(const Value& v) { return picture_of(v).has_value() || is_vector(v); }

// A picture and one vector of its channels.
bool spreads(const Value& picture, const Value& vector) {
  const auto p = picture_of(picture);
  return p && is_vector(vector) && vector.shape.elements() == p->channels;
}

// Which of two tensors is spread over the other one's positions is decided by their sizes.
bool agree(const Value& a, const Value& b, const Value& out) {
  if (a.is_constant() || b.is_constant()) {
    const Value& other = a.is_constant() ? b : a;
    const Value& constant = a.is_constant() ? a : b;
    return has_elements(other) && other.shape == out.shape &&
           (constant.shape.elements() == 1 || same_elements(a, b) || spreads(other, constant));
  }
  if (a.shape == b.shape) return has_elements(a) && a.shape == out.shape;
  return (spreads(a, b) && a.shape == out.shape) || (spreads(b, a) && b.shape == out.shape);
}

Answer no_pair(const Graph& g, size_t index) {
  const Op& op = g.ops[index];
  return no(Rule::shape, index,
            "its operands are " + to_string(g.value(op.inputs[0]).shape) + " and " +
                to_string(g.value(op.inputs[1]).shape) + ", its result " +
                to_string(g.value(op.outputs[0]).shape) +
                "; two of one size are, one and a number, or a picture and a vector of its "
                "channels");
}

}  // namespace

Answer check_elements(const Graph& g, size_t index) {
  const Op& op = g.ops[index];
  const Value& in = g.value(op.inputs[0]);
  if (!in.is_constant() && has_elements(in) && in.shape == g.value(op.outputs[0]).shape) {
    return std::nullopt;
  }
  return no(Rule::shape, index,
            "its input is " + to_string(in.shape) + ", not one picture or vector");
}

Answer check_sum(const Graph& g, size_t index) {
  const Op& op = g.ops[index];
  const Value& a = g.value(op.inputs[0]);
  const Value& b = g.value(op.inputs[1]);
  const Value& out = g.value(op.outputs[0]);
  if (auto r = check_activation(index, op.as<BinaryAttrs>().activation)) return r;
  if (a.is_constant() && b.is_constant()) {
    return no(Rule::attributes, index, "both of its operands are constants");
  }
  const bool number = is_number(b) && has_elements(a) && a.shape == out.shape;
  return number || agree(a, b, out) ? std::nullopt : no_pair(g, index);
}

Answer check_product(const Graph& g, size_t index) {
  const Op& op = g.ops[index];
  if (auto r = check_activation(index, op.as<BinaryAttrs>().activation)) return r;
  const Value& out = g.value(op.outputs[0]);
  const bool first = g.value(op.inputs[0]).is_constant();
  const Value& a = g.value(op.inputs[first ? 1 : 0]);
  const Value& b = g.value(op.inputs[first ? 0 : 1]);
  if (a.is_constant()) return no(Rule::attributes, index, "both of its operands are constants");
  const auto picture = picture_of(a);
  if (b.is_constant()) {
    const bool channels = picture && is_channel_constant(b, picture->channels);
    const bool known = ((is_number(b) || same_elements(a, b)) && has_elements(a)) || channels;
    if (known && a.shape == out.shape) return std::nullopt;
    return no(Rule::attributes, index,
              "its constant is " + to_string(b.shape) + ", its other operand " +
                  to_string(a.shape) +
                  "; a number, one for each channel of a picture, or one for each element can be");
  }
  return agree(a, b, out) ? std::nullopt : no_pair(g, index);
}

Answer check_join(const Graph& g, size_t index) {
  const Op& op = g.ops[index];
  const auto& a = op.as<ConcatAttrs>();
  if (auto r = check_activation(index, a.activation)) return r;
  const Value& out = g.value(op.outputs[0]);
  const int axis = a.axis < 0 ? a.axis + out.shape.rank() : a.axis;
  const int from_end = out.shape.rank() - axis;
  // Columns of five axes and more are two axes.
  const bool one_axis =
      from_end == 1 || out.shape.rank() <= 4 || (from_end == 2 && out.shape.back(2) == 1);
  const bool picture = picture_of(out) && from_end >= 1 && from_end <= 3 && one_axis;
  if (!picture && !(is_vector(out) && from_end == 1)) {
    return no(Rule::shape, index,
              "it joins " + to_string(out.shape) + " along axis " + std::to_string(axis) +
                  "; pictures are joined along rows, columns or channels, vectors by their "
                  "elements");
  }
  int64_t joined = 0;
  const auto is_constant = [&](ValueId id) { return g.value(id).is_constant(); };
  if (std::ranges::all_of(op.inputs, is_constant)) {
    return no(Rule::attributes, index, "all of its parts are constants");
  }
  for (size_t k = 0; k < op.inputs.size(); ++k) {
    const Value& in = g.value(op.inputs[k]);
    if (auto r = check_value(g, index, op.inputs[k])) return r;
    if (in.shape.rank() != out.shape.rank()) return no_sizes(g, index);
    for (int n = 0; n < out.shape.rank(); ++n) {
      if (n != axis && in.shape[n] != out.shape[n]) return no_sizes(g, index);
    }
    joined += in.shape[axis];
  }
  if (joined != out.shape[axis]) return no_sizes(g, index);
  return std::nullopt;
}

}  // namespace edgetwin::edgetpu::compiler

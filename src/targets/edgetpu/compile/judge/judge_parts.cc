#include <cmath>

#include "targets/edgetpu/compile/judge/judge.h"

namespace edgetwin::edgetpu::compiler {
namespace {

// Outputs of a window along rows or columns; 0: it does not fit, or its numbers mean nothing.
int64_t outputs_of(int64_t size, const Padding& p, int around, int64_t kernel, int64_t stride,
                   int64_t dilation) {
  if (stride < 1 || dilation < 1 || kernel < 1) return 0;
  const int64_t reach = (kernel - 1) * dilation + 1;
  if (p.kind == Padding::Kind::same) return ceil_div(size, stride);
  const int64_t all = size + (p.kind == Padding::Kind::given ? around : 0);
  return all < reach ? 0 : (all - reach) / stride + 1;
}

}  // namespace

Answer no(Rule rule, size_t op, std::string message) {
  return Refusal{rule, op, std::move(message)};
}

Answer check_value(const Graph& g, size_t op, ValueId id) {
  const Value& v = g.value(id);
  if (!is_byte(v.dtype)) {
    return no(Rule::data_type, op,
              "'" + v.name + "' has the type " + std::string(name(v.dtype)) +
                  "; the chip computes with int8 and uint8");
  }
  const bool plain = v.quant.scheme == Quant::Scheme::affine && v.quant.scale.size() == 1;
  if (!plain || !std::isfinite(v.quant.scale[0]) || v.quant.scale[0] <= 0.0F) {
    return no(Rule::data_type, op, "'" + v.name + "' has no scale of its own");
  }
  if (!v.has_shape || !v.shape.is_static() || v.shape.elements() <= 0) {
    return no(Rule::shape, op, "'" + v.name + "' has the shape " + to_string(v.shape));
  }
  return std::nullopt;
}

Answer check_activation(size_t op, Activation a) {
  const bool known = a == Activation::none || a == Activation::relu || a == Activation::relu6 ||
                     a == Activation::relu_n1_to_1;
  if (known) return std::nullopt;
  return no(Rule::attributes, op,
            "its activation " + std::string(name(a)) + " is not a pair of limits");
}

bool agrees(const Value& in, const Value& out, const Padding& p, const WindowSide& y,
            const WindowSide& x) {
  return out.shape[0] == 1 &&
         out.shape[1] ==
             outputs_of(in.shape[1], p, p.top + p.bottom, y.kernel, y.stride, y.dilation) &&
         out.shape[2] ==
             outputs_of(in.shape[2], p, p.left + p.right, x.kernel, x.stride, x.dilation);
}

Answer no_sizes(const Graph& g, size_t index) {
  const Op& op = g.ops[index];
  return no(Rule::shape, index,
            "its sizes " + to_string(g.value(op.inputs[0]).shape) + " and " +
                to_string(g.value(op.outputs[0]).shape) + " do not agree with the operator");
}

}  // namespace edgetwin::edgetpu::compiler

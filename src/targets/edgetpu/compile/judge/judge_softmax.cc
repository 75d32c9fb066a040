#include <cmath>

#include "targets/edgetpu/compile/judge/judge.h"
#include "targets/edgetpu/compile/templates/others.h"

namespace edgetwin::edgetpu::compiler {

constexpr int64_t kMostSoftmax = 16384;  // values

Answer check_softmax(const Graph& g, size_t index) {
  const Op& op = g.ops[index];
  const Value& in = g.value(op.inputs[0]);
  const Value& out = g.value(op.outputs[0]);
  const auto& a = op.as<SoftmaxAttrs>();
  const bool last = a.axis == -1 || a.axis == in.shape.rank() - 1;
  if (!is_vector(in) || in.shape != out.shape || !last) {
    return Refusal{Rule::shape, index,
                   "it is over axis " + std::to_string(a.axis) + " of " + to_string(in.shape) +
                       "; only one vector is compiled"};
  }
  const int64_t n = in.shape.elements();
  if (n > kMostSoftmax) {
    return Refusal{
        Rule::attributes, index,
        "it has " + std::to_string(n) + " values; " + std::to_string(kMostSoftmax) + " can be"};
  }
  if (out.quant.scale_of(0) != 1.0F / 256 || unsigned_zero(out) != 0) {
    return Refusal{Rule::attributes, index, "its result is not in steps of 1/256 from 0"};
  }
  const float steps = a.beta * in.quant.scale_of(0);
  if (!std::isfinite(steps) || steps <= 0.0F) {
    return Refusal{Rule::attributes, index, "its beta is " + std::to_string(a.beta)};
  }
  return std::nullopt;
}

}  // namespace edgetwin::edgetpu::compiler

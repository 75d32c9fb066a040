#include <cmath>

#include "targets/edgetpu/compile/plan/lowering.h"

namespace edgetwin::edgetpu::compiler {

std::optional<Refusal> check_softmax(const Graph& g, size_t index) {
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

bool Lowering::softmax_layer(size_t index) {
  const Op& op = graph().ops[index];
  Store& from = store(op.inputs[0]);
  Store& to = store(op.outputs[0]);
  if (!from.vector) return refuse(Rule::shape, "its input is a picture");
  const int whole = whole_vector(from);
  use(whole);
  to.whole = region(softmax_result(to.bytes));
  to.computed = true;
  SoftmaxSpec spec;
  spec.count = to.bytes;
  spec.zero = from.zero;
  spec.multiplier = op.as<SoftmaxAttrs>().beta * value(op.inputs[0]).quant.scale_of(0);
  const int work = region(softmax_work(to.bytes));
  planned_.push_back({index, "softmax", softmax_result(to.bytes), 0});
  emit(
      [this, spec, whole, work, result = to.whole](Program& p) {
        SoftmaxSpec s = spec;
        s.in = at(whole), s.out = at(result), s.work = at(work);
        softmax(p, s);
      },
      kSoftmaxLowest);
  return true;
}

}  // namespace edgetwin::edgetpu::compiler

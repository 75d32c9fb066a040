#include "targets/edgetpu/compile/plan/lowering.h"

namespace edgetwin::edgetpu::compiler {

bool Lowering::softmax_layer(size_t index) {
  const Op& op = graph().ops[index];
  Store& from = store(op.inputs[0]);
  Store& to = store(op.outputs[0]);
  const int whole = elements_in_order(index, from, value(op.inputs[0]));
  if (whole < 0) return false;
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

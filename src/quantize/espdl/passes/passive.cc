// Operators that only move or choose elements keep the exponent of their input, and a consumer
// takes what its producer has.
#include "quantize/espdl/passes/passes.h"

namespace edgetwin::quantize {

void share_passive(Plan& plan) {
  for (size_t i = 0; i < plan.ops().size(); ++i) {
    const OpQuants& c = plan.ops()[i];
    const bool moves = c.info->role == Role::moves && plan.settings().passes.share_moves;
    if ((c.info->role != Role::passive && !moves) || c.inputs.empty()) continue;
    if (c.inputs[0] == kNone) continue;
    for (const QuantId out : c.outputs) {
      if (out != kNone) plan.merge_into(out, c.inputs[0]);
    }
  }
}

void join_producers(Plan& plan) {
  for (size_t i = 0; i < plan.ops().size(); ++i) {
    for (const QuantId in : plan.ops()[i].inputs) {
      if (in == kNone || plan.quant(in).kind != OperandQuant::Kind::activation) continue;
      const QuantId made = plan.output_quant(plan.quant(in).value);
      if (made != kNone && plan.quant(made).bits == plan.quant(in).bits) plan.merge_into(in, made);
    }
  }
}

}  // namespace edgetwin::quantize

// A layer and the Relu or Clip after it have one result: the layer's own output is not measured,
// it takes the exponent after the activation.
#include <algorithm>

#include "quantize/espdl/passes/passes.h"

namespace edgetwin::quantize {

void fuse_activations(Plan& plan) {
  const Graph& graph = plan.graph();
  for (size_t i = 0; i < graph.ops.size(); ++i) {
    const OpQuants& act = plan.ops()[i];
    if (act.info->role != Role::activation || act.inputs.empty() || act.inputs[0] == kNone)
      continue;
    const ValueId between = graph.ops[i].inputs[0];
    const auto before = plan.producer(between);
    if (!before || plan.is_graph_output(between)) continue;
    const QuantId made = plan.output_quant(between);
    if (made == kNone || plan.downstream(*before).size() != 1) continue;
    // Of two widths the larger one wins.
    OperandQuant& result = plan.quant(act.outputs[0]);
    result.bits = std::max(result.bits, plan.quant(made).bits);
    plan.merge_into(made, act.outputs[0]);
    plan.merge_into(act.inputs[0], act.outputs[0]);
  }
}

}  // namespace edgetwin::quantize

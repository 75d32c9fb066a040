// A layer and the Relu or Clip behind it have one result: the layer's own output is not measured,
// it takes the exponent behind the activation.
#include "quantize/passes.h"

namespace edgetwin::quantize {

void fuse_activations(Net& net) {
  const Graph& graph = net.graph();
  for (size_t i = 0; i < graph.ops.size(); ++i) {
    const OpConfigs& act = net.ops()[i];
    if (act.info->role != Role::activation || act.inputs.empty() || act.inputs[0] == kNone)
      continue;
    const ValueId between = graph.ops[i].inputs[0];
    const auto before = net.producer(between);
    if (!before || net.is_graph_output(between)) continue;
    const ConfigId made = net.output_config(between);
    if (made == kNone || net.downstream(*before).size() != 1) continue;
    // Of two widths the larger one wins.
    Config& result = net.config(act.outputs[0]);
    result.bits = std::max(result.bits, net.config(made).bits);
    net.dominate(made, act.outputs[0]);
    net.dominate(act.inputs[0], act.outputs[0]);
  }
}

}  // namespace edgetwin::quantize

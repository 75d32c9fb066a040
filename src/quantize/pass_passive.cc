// Operators that only move or choose elements keep the exponent of their input, and a consumer
// takes what its producer has.
#include "quantize/passes.h"

namespace edgetwin::quantize {

void share_passive(Net& net) {
  for (size_t i = 0; i < net.ops().size(); ++i) {
    const OpConfigs& c = net.ops()[i];
    const bool moves = c.info->role == Role::moves && net.settings().passes.share_moves;
    if ((c.info->role != Role::passive && !moves) || c.inputs.empty()) continue;
    if (c.inputs[0] == kNone) continue;
    for (const ConfigId out : c.outputs) {
      if (out != kNone) net.dominate(out, c.inputs[0]);
    }
  }
}

void join_producers(Net& net) {
  for (size_t i = 0; i < net.ops().size(); ++i) {
    for (const ConfigId in : net.ops()[i].inputs) {
      if (in == kNone || net.config(in).kind != Config::Kind::activation) continue;
      const ConfigId made = net.output_config(net.config(in).value);
      if (made != kNone && net.config(made).bits == net.config(in).bits) net.dominate(in, made);
    }
  }
}

}  // namespace edgetwin::quantize

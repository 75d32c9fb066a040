// Transposes that meet become one, and one that moves nothing goes.
#include <algorithm>

#include "quantize/espdl/lowering/state.h"

namespace edgetwin::quantize {
namespace {

bool is_transpose(const Node& p) { return !p.erased && p.op.kind == OpKind::transpose; }

bool passes_elements(OpKind kind) {
  switch (kind) {
    case OpKind::relu:
    case OpKind::logistic:
    case OpKind::tanh:
    case OpKind::hard_swish:
    case OpKind::hard_sigmoid:
    case OpKind::elu:
    case OpKind::gelu:
    case OpKind::clip:
    case OpKind::leaky_relu:
    case OpKind::identity:
    case OpKind::swish:
    case OpKind::lut:
      return true;
    default:
      return false;
  }
}

Perm composed(const Perm& first, const Perm& second) {
  Perm result;
  for (const int axis : second) result.push_back(first[static_cast<size_t>(axis)]);
  return result;
}

void take_input(Node& p, const Node& before) {
  p.op.inputs[0] = before.op.inputs[0];
  p.inputs[0] = before.inputs[0];
}

class Merger {
 public:
  explicit Merger(LoweringState& state) : state_(state) {}

  void run() {
    bool changed = true;
    while (changed) {
      changed = false;
      for (const size_t i : state_.order()) {
        if (is_transpose(state_.nodes[i])) {
          changed = around_activation(i) || chain(i) || identity(i) || changed;
        }
      }
    }
  }

 private:
  Node& node(size_t i) { return state_.nodes[i]; }
  ValueId out(size_t i) { return node(i).op.outputs[0]; }

  // Transpose, activation, Transpose: both orders in the second.
  bool around_activation(size_t i) {
    if (!state_.single_use(out(i))) return false;
    const size_t act = state_.consumers(out(i))[0];
    if (!passes_elements(node(act).op.kind) || !state_.single_use(out(act))) return false;
    const size_t second = state_.consumers(out(act))[0];
    if (!is_transpose(node(second))) return false;
    const ValueId in = node(i).op.inputs[0];
    node(second).perm = composed(node(i).perm, node(second).perm);
    take_input(node(act), node(i));
    state_.graph.value(out(act)).shape = state_.graph.value(in).shape;
    state_.perms[static_cast<size_t>(out(act))] = state_.perm_of(in);
    node(i).erased = true;
    return true;
  }

  bool chain(size_t i) {
    const auto before = state_.producer(node(i).op.inputs[0]);
    if (!before || !is_transpose(node(*before))) return false;
    node(i).perm = composed(node(*before).perm, node(i).perm);
    take_input(node(i), node(*before));
    if (state_.consumers(out(*before)).empty() && !state_.is_output(out(*before))) {
      node(*before).erased = true;
    }
    return true;
  }

  bool identity(size_t i) {
    if (!is_identity(node(i).perm)) return false;
    const ValueId in = node(i).op.inputs[0];
    if (!state_.is_output(out(i))) {
      replace(out(i), in);
      node(i).erased = true;
      return true;
    }
    const auto maker = state_.producer(in);
    if (!maker || !state_.single_use(in)) return false;
    auto& outputs = node(*maker).op.outputs;
    const auto at = std::find(outputs.begin(), outputs.end(), in) - outputs.begin();
    outputs[static_cast<size_t>(at)] = out(i);
    node(*maker).outputs[static_cast<size_t>(at)] = node(i).outputs[0];
    node(i).erased = true;
    return true;
  }

  void replace(ValueId old, ValueId now) {
    for (Node& p : state_.nodes) {
      if (!p.erased) std::replace(p.op.inputs.begin(), p.op.inputs.end(), old, now);
    }
  }

  LoweringState& state_;
};

}  // namespace

void merge_transposes(LoweringState& state) { Merger(state).run(); }

}  // namespace edgetwin::quantize

// Transposes that meet become one, and one that moves nothing goes.
#include <algorithm>

#include "quantize/work.h"

namespace edgetwin::quantize {
namespace {

bool is_transpose(const Piece& p) { return !p.gone && p.op.kind == OpKind::transpose; }

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

void take_input(Piece& p, const Piece& before) {
  p.op.inputs[0] = before.op.inputs[0];
  p.inputs[0] = before.inputs[0];
}

class Merger {
 public:
  explicit Merger(Work& work) : work_(work) {}

  void run() {
    bool changed = true;
    while (changed) {
      changed = false;
      for (const size_t i : work_.order()) {
        if (is_transpose(work_.pieces[i])) {
          changed = around_activation(i) || chain(i) || identity(i) || changed;
        }
      }
    }
  }

 private:
  Piece& piece(size_t i) { return work_.pieces[i]; }
  ValueId out(size_t i) { return piece(i).op.outputs[0]; }

  // Transpose, activation, Transpose: both orders in the second.
  bool around_activation(size_t i) {
    if (!work_.single_use(out(i))) return false;
    const size_t act = work_.consumers(out(i))[0];
    if (!passes_elements(piece(act).op.kind) || !work_.single_use(out(act))) return false;
    const size_t second = work_.consumers(out(act))[0];
    if (!is_transpose(piece(second))) return false;
    const ValueId in = piece(i).op.inputs[0];
    piece(second).perm = composed(piece(i).perm, piece(second).perm);
    take_input(piece(act), piece(i));
    work_.graph.value(out(act)).shape = work_.graph.value(in).shape;
    work_.perms[static_cast<size_t>(out(act))] = work_.perm_of(in);
    piece(i).gone = true;
    return true;
  }

  bool chain(size_t i) {
    const auto before = work_.producer(piece(i).op.inputs[0]);
    if (!before || !is_transpose(piece(*before))) return false;
    piece(i).perm = composed(piece(*before).perm, piece(i).perm);
    take_input(piece(i), piece(*before));
    if (work_.consumers(out(*before)).empty() && !work_.is_output(out(*before))) {
      piece(*before).gone = true;
    }
    return true;
  }

  bool identity(size_t i) {
    if (!is_identity(piece(i).perm)) return false;
    const ValueId in = piece(i).op.inputs[0];
    if (!work_.is_output(out(i))) {
      replace(out(i), in);
      piece(i).gone = true;
      return true;
    }
    const auto maker = work_.producer(in);
    if (!maker || !work_.single_use(in)) return false;
    auto& outputs = piece(*maker).op.outputs;
    const auto at = std::find(outputs.begin(), outputs.end(), in) - outputs.begin();
    outputs[static_cast<size_t>(at)] = out(i);
    piece(*maker).outputs[static_cast<size_t>(at)] = piece(i).outputs[0];
    piece(i).gone = true;
    return true;
  }

  void replace(ValueId old, ValueId now) {
    for (Piece& p : work_.pieces) {
      if (!p.gone) std::replace(p.op.inputs.begin(), p.op.inputs.end(), old, now);
    }
  }

  Work& work_;
};

}  // namespace

void merge_transposes(Work& work) { Merger(work).run(); }

}  // namespace edgetwin::quantize

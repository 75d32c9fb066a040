// Conversions where producer and consumer do not agree: QuantizeLinear from float to integers,
// RequantizeLinear between exponents or widths, DequantizeLinear to float.
#include <algorithm>
#include <cmath>

#include "quantize/espdl/lowering/state.h"

namespace edgetwin::quantize {
namespace {

enum class Conversion : uint8_t { quantize, requantize, dequantize };

class Converter {
 public:
  explicit Converter(LoweringState& state) : state_(state) {}

  void run() {
    for (const Conversion c :
         {Conversion::quantize, Conversion::requantize, Conversion::dequantize}) {
      kind_ = c;
      for (const size_t i : state_.order()) {
        for (size_t k = 0; k < state_.nodes[i].op.inputs.size(); ++k) consider(i, k);
      }
    }
  }

 private:
  const Plan& plan() const { return state_.plan(); }

  // The quantization that a tensor has where it is made; of an input of the network the first
  // user's.
  QuantId made(ValueId id) {
    if (const auto p = state_.producer(id)) {
      const auto& outputs = state_.nodes[*p].op.outputs;
      const auto at = std::find(outputs.begin(), outputs.end(), id) - outputs.begin();
      return state_.nodes[*p].outputs[static_cast<size_t>(at)];
    }
    for (const size_t user : state_.consumers(id)) {
      const Node& p = state_.nodes[user];
      for (size_t k = 0; k < p.inputs.size(); ++k) {
        if (p.op.inputs[k] == id && p.inputs[k] != kNone) return p.inputs[k];
      }
    }
    return kNone;
  }

  bool differ(QuantId a, QuantId b) const {
    const OperandQuant& x = plan().deciding(a);
    const OperandQuant& y = plan().deciding(b);
    if (plan().quant(a).bits != plan().quant(b).bits) return true;
    if (!state_.settings().passes.exact_requantize) {
      return std::fabs(std::ldexp(1.0, x.exponent[0]) - std::ldexp(1.0, y.exponent[0])) >= 1e-5;
    }
    return x.exponent[0] != y.exponent[0];
  }

  void consider(size_t i, size_t k) {
    const ValueId id = state_.nodes[i].op.inputs[k];
    if (id == kAbsent || state_.graph.value(id).is_constant()) return;
    if (state_.graph.value(id).dtype != DType::float32) return;
    const QuantId wanted = state_.nodes[i].inputs.empty() ? kNone : state_.nodes[i].inputs[k];
    const QuantId is = made(id);
    if (state_.is_input(id) && !state_.settings().passes.requantize_inputs) return;
    if (kind_ == Conversion::quantize && is == kNone && wanted != kNone) {
      insert(i, k, OpKind::quantize, "QuantizeLinear", wanted, wanted);
    }
    if (kind_ == Conversion::requantize && is != kNone && wanted != kNone && differ(is, wanted)) {
      insert(i, k, OpKind::quantize, "RequantizeLinear", is, wanted);
    }
    if (kind_ == Conversion::dequantize && is != kNone && wanted == kNone) {
      insert(i, k, OpKind::dequantize, "DequantizeLinear", is, kNone);
    }
  }

  void insert(size_t i, size_t k, OpKind kind, const char* type, QuantId from, QuantId to) {
    const ValueId in = state_.nodes[i].op.inputs[k];
    Node p;
    p.op.kind = kind;
    p.op.type = type;
    p.op.name = state_.next_operator();
    p.bits = plan().quant(to == kNone ? from : to).bits;
    p.layout = AxisRule::keep;
    const ValueId out = state_.add_between(in, state_.graph.value(in).shape);
    state_.perms.back() = state_.perm_of(in);
    state_.origin.back() = state_.origin[static_cast<size_t>(in)];
    state_.skip_variables(2);  // a scale and an offset that the runtime does not read
    p.op.inputs = {in};
    p.op.outputs = {out};
    p.inputs = {kind == OpKind::quantize && from == to ? kNone : from};
    p.outputs = {to};
    state_.nodes[i].op.inputs[k] = out;
    state_.nodes.push_back(std::move(p));
  }

  LoweringState& state_;
  Conversion kind_ = Conversion::quantize;
};

}  // namespace

void insert_conversions(LoweringState& state) { Converter(state).run(); }

}  // namespace edgetwin::quantize

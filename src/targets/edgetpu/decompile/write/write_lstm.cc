#include "targets/edgetpu/decompile/write/write_lstm.h"

#include <array>

#include "targets/edgetpu/decompile/operands/lstm_stages.h"
#include "targets/edgetpu/decompile/scales/scale_problem.h"

namespace edgetwin::edgetpu {
namespace {

// Of what the gates multiply.
struct InputScales {
  float step = 0.0F, hidden = 0.0F;
};

// Weights of a gate: rows of signed bytes.
ValueId add_gate_weights(GraphRewrite& r, const std::string& name, const BlockContent& content,
                         int64_t units, float scale) {
  Bytes bytes = content.weights;
  flip_signs(bytes);
  const int64_t zero = int64_t{content.zero_points.front()} - kFlip;
  const auto inputs = static_cast<int64_t>(bytes.size()) / units;
  return r.add_constant(name, DType::int8, Shape{units, inputs}, Quant::affine(scale, zero),
                        std::move(bytes));
}

// False: no scale of its weights makes the gate's multipliers.
bool add_gate(GraphRewrite& r, size_t l, const DecompiledLayer& layer, size_t g,
              const InputScales& scales, std::vector<ValueId>& operands) {
  static constexpr std::array<std::string_view, kGates> kNames{"input", "forget", "cell", "output"};
  const GateNumbers& gate = layer.gates[g];
  const std::string name = r.label(l, kNames[g]);
  const float wi = solve_weight(scales.step, gate.scale, gate.input_multiplier);
  const float wh = solve_weight(scales.hidden, gate.scale, gate.hidden_multiplier);
  if (!(wi > 0.0F) || !(wh > 0.0F)) return false;
  operands[LstmOperand::kInputWeights + g] =
      add_gate_weights(r, name + "/weights", gate.of_input, layer.out.c, wi);
  operands[LstmOperand::kHiddenWeights + g] =
      add_gate_weights(r, name + "/recurrent", gate.of_hidden, layer.out.c, wh);
  const ValueId bias = r.add_integers(name + "/bias", gate.of_input.bias, Shape{layer.out.c});
  r.graph.value(bias).quant = Quant::affine(scales.step * wi, 0);
  operands[LstmOperand::kBiases + g] = bias;
  return true;
}

}  // namespace

ValueId write_lstm(GraphRewrite& r, size_t l, const DecompiledLayer& layer, ValueId in,
                   const Quant& q) {
  const ValueId hidden = r.states[layer.hidden_state];
  const ValueId cell = r.states[layer.cell_state];
  const bool kept = hidden != kAbsent && cell != kAbsent && r.graph.value(hidden).is_variable &&
                    r.graph.value(cell).is_variable;
  if (r.type != DType::int8 || !kept) return kAbsent;
  const InputScales scales{r.graph.value(in).quant.scale_of(0),
                           r.graph.value(hidden).quant.scale_of(0)};
  in = r.reshape(in, Shape{1, layer.in.w, layer.in.c}, r.label(l, "steps"));
  std::vector<ValueId> operands(LstmOperand::kAll, kAbsent);
  operands[0] = in;
  for (size_t g = 0; g < layer.gates.size(); ++g) {
    if (!add_gate(r, l, layer, g, scales, operands)) return kAbsent;
  }
  operands[LstmOperand::kStates] = hidden;
  operands[LstmOperand::kStates + 1] = cell;
  LstmAttrs attrs;
  attrs.activation = Activation::tanh;
  const ValueId out =
      r.add_value(r.label(l, "sequence"), r.type, Shape{1, layer.out.w, layer.out.c}, q);
  r.add_op(OpKind::unidirectional_sequence_lstm, attrs, operands, out);
  return r.reshape(out, picture(layer.out), r.label(l));
}

}  // namespace edgetwin::edgetpu

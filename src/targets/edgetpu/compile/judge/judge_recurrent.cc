#include <array>

#include "targets/edgetpu/compile/judge/judge.h"
#include "targets/edgetpu/compile/judge/recurrent.h"

namespace edgetwin::edgetpu::compiler {
namespace {

using Operand = RecurrentOperand;
using numerics::edgetpu::kLstmGates;

// Gates lie in tiles of their own, 64 units in each.
constexpr int64_t kMostUnits = kTiles / static_cast<int64_t>(kLstmGates) * 64;

bool absent(const Op& op, std::initializer_list<size_t> operands) {
  for (const size_t k : operands) {
    if (op.has_input(k)) return false;
  }
  return true;
}

// What the public program has not.
const char* unknown_form(const Graph& g, const Op& op) {
  const auto& a = op.as<LstmAttrs>();
  if (a.activation != Activation::tanh) return "its activation is not TANH";
  if (a.time_major) return "its first axis is time";
  if (a.diagonal_recurrent_tensors) return "its recurrent weights are diagonals";
  if (!absent(op, {9, 10, 11})) return "it has peephole connections";
  if (!absent(op, {16, 17}) || a.proj_clip != 0.0F) return "it has a projection";
  if (!absent(op, {20, 21, 22, 23})) return "it has layer normalization";
  if (!op.has_input(Operand::kHidden) || !op.has_input(Operand::kCell)) return "it has no states";
  const float most = g.value(op.inputs[Operand::kCell]).quant.scale_of(0) * 32767.0F;
  if (a.cell_clip > 0.0F && a.cell_clip < most) return "it clips its cell inside of 16 bits";
  return nullptr;
}

bool constant_of(const Graph& g, const Op& op, size_t operand, DType type, const Shape& shape) {
  if (!op.has_input(operand)) return false;
  const Value& v = g.value(op.inputs[operand]);
  return v.is_constant() && v.dtype == type && v.shape == shape;
}

bool has_parameters(const Graph& g, const Op& op, const RecurrentShape& s) {
  for (size_t k = 0; k < kLstmGates; ++k) {
    const bool fits =
        constant_of(g, op, Operand::kInputWeights + k, DType::int8, {s.units, s.depth}) &&
        constant_of(g, op, Operand::kRecurrentWeights + k, DType::int8, {s.units, s.units}) &&
        constant_of(g, op, Operand::kBiases + k, DType::int32, {s.units});
    if (!fits) return false;
  }
  return true;
}

}  // namespace

RecurrentShape recurrent_shape(const Graph& g, const Op& op) {
  const Shape& x = g.value(op.inputs[0]).shape;
  return {x[1], x[2], g.value(op.outputs[0]).shape.back(0)};
}

Result<numerics::edgetpu::Lstm> recurrent_rule(const Graph& g, const Op& op) {
  const auto quant = [&](size_t operand) { return g.value(op.inputs[operand]).quant; };
  numerics::edgetpu::LstmSpec spec;
  spec.x = quant(0);
  spec.hidden = quant(Operand::kHidden);
  spec.cell = quant(Operand::kCell);
  for (size_t k = 0; k < kLstmGates; ++k) {
    spec.input_weights.at(k) = quant(Operand::kInputWeights + k);
    spec.recurrent_weights.at(k) = quant(Operand::kRecurrentWeights + k);
  }
  spec.cell_clip = op.as<LstmAttrs>().cell_clip;
  return numerics::edgetpu::Lstm::make(spec);
}

Answer check_recurrent(const Graph& g, size_t index) {
  const Op& op = g.ops[index];
  if (const char* why = unknown_form(g, op)) return no(Rule::attributes, index, why);
  const Value& x = g.value(op.inputs[0]);
  const Value& out = g.value(op.outputs[0]);
  const Value& hidden = g.value(op.inputs[Operand::kHidden]);
  const Value& cell = g.value(op.inputs[Operand::kCell]);
  if (x.shape.rank() != 3 || x.shape[0] != 1 || out.shape.rank() != 3 ||
      out.shape[1] != x.shape[1]) {
    return no(Rule::shape, index, "its input is " + to_string(x.shape) + ", not one sequence");
  }
  const RecurrentShape s = recurrent_shape(g, op);
  if (s.units > kMostUnits) {
    return no(Rule::shape, index,
              "it has " + std::to_string(s.units) + " units; the gates of " +
                  std::to_string(kMostUnits) + " have room in the tiles");
  }
  const bool states = hidden.is_variable && cell.is_variable && hidden.dtype == DType::int8 &&
                      cell.dtype == DType::int16 && hidden.shape.elements() == s.units &&
                      cell.shape.elements() == s.units && hidden.quant == out.quant;
  if (x.dtype != DType::int8 || out.dtype != DType::int8 || !states) {
    return no(Rule::data_type, index,
              "its values are not int8 with a state of int8 and one of int16");
  }
  if (!has_parameters(g, op, s)) {
    return no(Rule::attributes, index, "its weights and biases are not constants of its sizes");
  }
  if (auto rule = recurrent_rule(g, op); !rule.ok()) {
    return no(Rule::attributes, index, to_text(rule.error()));
  }
  return std::nullopt;
}

}  // namespace edgetwin::edgetpu::compiler

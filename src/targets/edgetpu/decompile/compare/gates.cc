#include "targets/edgetpu/decompile/compare/gates.h"

#include <algorithm>
#include <cstring>

#include "targets/edgetpu/decompile/operands/lstm_stages.h"
#include "targets/edgetpu/decompile/scales/scale_problem.h"

namespace edgetwin::edgetpu {
namespace {

constexpr int kFlip = 128;

bool is_signed_byte(const Graph& graph, const Op& op, size_t operand) {
  return op.has_input(operand) && graph.value(op.inputs[operand]).dtype == DType::int8;
}

bool has_all(const Graph& graph, const Op& op) {
  bool all = is_signed_byte(graph, op, 0) && is_signed_byte(graph, op, LstmOperand::kStates);
  for (const size_t first : {LstmOperand::kInputWeights, LstmOperand::kHiddenWeights}) {
    for (size_t g = 0; g < kGates; ++g) {
      all = all && is_signed_byte(graph, op, first + g) &&
            graph.value(op.inputs[first + g]).is_constant();
    }
  }
  return all;
}

// One product of weights: of the step's input or of the hidden state.
void take_product(const Value& in, const Value& weights, float sum_scale, NetworkLayer& l) {
  for (const std::byte b : *weights.constant) l.weights.push_back(b ^ std::byte{kFlip});
  l.multipliers.push_back(
      chip_multiplier(in.quant.scale_of(0), weights.quant.scale_of(0), sum_scale));
  for (const Value* v : {&in, &weights}) {
    l.zero_points.push_back(static_cast<int>(v->quant.zero_point_of(0)) + kFlip);
  }
}

void take_bias(const Graph& graph, const Op& op, size_t gate, NetworkLayer& l) {
  std::vector<int32_t> bias(static_cast<size_t>(l.out_c));
  if (op.has_input(LstmOperand::kBiases + gate)) {
    const Value& b = graph.value(op.inputs[LstmOperand::kBiases + gate]);
    const size_t bytes = bias.size() * sizeof(int32_t);
    if (b.is_constant() && b.dtype == DType::int32 && b.constant->size() == bytes && bytes > 0) {
      std::memcpy(bias.data(), b.constant->data(), bytes);
    }
  }
  l.bias.insert(l.bias.end(), bias.begin(), bias.end());
}

}  // namespace

void take_gates(const Graph& graph, const Op& op, NetworkLayer& l) {
  if (!has_all(graph, op)) return;
  const Value& step = graph.value(op.inputs[0]);
  const Value& hidden = graph.value(op.inputs[LstmOperand::kStates]);
  const float sum = hidden.quant.scale_of(0);
  l.zero_points.clear();
  for (size_t g = 0; g < kGates; ++g) {
    take_product(step, graph.value(op.inputs[LstmOperand::kInputWeights + g]), sum, l);
    take_product(hidden, graph.value(op.inputs[LstmOperand::kHiddenWeights + g]), sum, l);
    l.multipliers.push_back(sum);
    take_bias(graph, op, g, l);
  }
  // A bias of zeros is none.
  if (std::all_of(l.bias.begin(), l.bias.end(), [](int32_t x) { return x == 0; })) l.bias.clear();
}

}  // namespace edgetwin::edgetpu

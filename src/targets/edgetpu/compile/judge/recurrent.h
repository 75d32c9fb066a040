// What a recurrent layer is to the chip: the form of the one public program that has one.
#pragma once

#include "numerics/edgetpu/lstm.h"
#include "targets/edgetpu/compile/judge/values.h"

namespace edgetwin::edgetpu::compiler {

// Places of the operands of UNIDIRECTIONAL_SEQUENCE_LSTM; of those of gates the first, in the order
// of LstmGate.
struct RecurrentOperand {
  static constexpr size_t kInputWeights = 1, kRecurrentWeights = 5, kBiases = 12, kHidden = 18,
                          kCell = 19;
};

struct RecurrentShape {
  int64_t steps = 0, depth = 0, units = 0;
};
// Of an operator that check_recurrent() takes.
RecurrentShape recurrent_shape(const Graph& graph, const Op& op);
// All multipliers and tables, as the twin has them. Errors: op_quant.
Result<numerics::edgetpu::Lstm> recurrent_rule(const Graph& graph, const Op& op);

}  // namespace edgetwin::edgetpu::compiler

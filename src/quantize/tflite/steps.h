// The steps of quantizing for TensorFlow Lite.
#pragma once

#include <vector>

#include "base/finding.h"
#include "base/result.h"
#include "graph/graph.h"
#include "quantize/tflite/scales.h"

namespace edgetwin::quantize {

// How the tensors of an operator are scaled: operators.def.
enum class Scales : uint8_t { own, weights, same, join, unit, signed_unit };

struct TfliteOperator {
  OpKind kind;
  int version;
  Scales scales;
};
// Null where there is no int8 form.
const TfliteOperator* tflite_operator(OpKind kind);

// Operands of an operator with weights.
struct WeightOperands {
  size_t data, filter, bias;
};
constexpr WeightOperands weight_operands(OpKind kind) {
  return kind == OpKind::transpose_conv ? WeightOperands{2, 1, 3} : WeightOperands{0, 1, 2};
}

// Where an operator keeps its fused activation; null where it has none.
Activation* fused_activation(Op& op);

// integers.cc. Error: quant_operator with a line for each that has no int8 form.
Status check_tflite_operators(const Graph& graph);

// scale_groups.cc: scale and zero point of every computed float tensor, after kernels' demands and
// with one for all that must share it. May add `quantize` operators in front of operators that join
// a tensor whose scale is fixed; `ranges` grows with the values.
std::vector<Quant> share_scales(Graph& graph, std::vector<RealRange>& ranges,
                                std::vector<Finding>& findings);

// integers.cc: the float graph with ranges of its values as an int8 graph.
Result<Graph> to_integers(const Graph& network, std::vector<RealRange> ranges,
                          std::vector<Finding>& findings);

}  // namespace edgetwin::quantize

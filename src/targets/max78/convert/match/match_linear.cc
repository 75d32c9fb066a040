// Linear layers: products with a constant matrix.
#include "targets/max78/convert/match/matcher.h"

namespace edgetwin::max78 {

void Matcher::linear(size_t op, Flow flow) {
  const Op& o = at(op);
  if (o.inputs.size() < 2 || !value(o.inputs[1]).is_constant() ||
      value(o.inputs[0]).is_constant()) {
    return unknown(op, "multiplies two computed matrices");
  }
  const Value& w = value(o.inputs[1]);
  const Shape& in = value(o.inputs[0]).shape;
  const bool gemm = o.kind == OpKind::fully_connected;
  if (in.rank() != 2 || w.shape.rank() != 2) {
    return unknown(op, "multiplies " + to_string(in) + " by " + to_string(w.shape) +
                           "; a linear layer takes one row");
  }
  const int inputs = static_cast<int>(w.shape[gemm ? 1 : 0]);
  const int outputs = static_cast<int>(w.shape[gemm ? 0 : 1]);
  if (flow.vector && flow.pending()) flow = settled(op, std::move(flow), at(op).inputs[0]);
  if (!flow.known) return;
  DraftLayer l = start_layer(op, flow, ai8x::Operator::linear);
  l.flatten = flow.vector;
  l.weights = floats(o.inputs[1]);
  if (!gemm) {
    std::vector<float> turned(l.weights.size());
    for (int i = 0; i < inputs; ++i) {
      for (int n = 0; n < outputs; ++n) {
        turned[static_cast<size_t>(n * inputs + i)] =
            l.weights[static_cast<size_t>(i * outputs + n)];
      }
    }
    l.weights = std::move(turned);
  }
  if (o.has_input(2)) l.bias = floats(o.inputs[2]);
  finish(op, std::move(l), outputs, {1, 1});
}

}  // namespace edgetwin::max78

// Linear layers: products with a constant matrix.
#include <algorithm>
#include <cstring>

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
  if ((in.rank() != 2 && !flow.last) || w.shape.rank() != 2) {
    return unknown(op, "multiplies " + to_string(in) + " by " + to_string(w.shape) +
                           "; a linear layer takes one row, or rows of features");
  }
  const int inputs = static_cast<int>(w.shape[gemm ? 1 : 0]);
  const int outputs = static_cast<int>(w.shape[gemm ? 0 : 1]);
  if ((flow.vector || flow.last) && flow.pending())
    flow = settled(op, std::move(flow), at(op).inputs[0]);
  if (!flow.known) return;
  DraftLayer l = start_layer(op, flow, ai8x::Operator::linear);
  if (flow.last) {
    // Each pixel by itself.
    const bool line = flow.dim.w == 1;
    l.op = line ? ai8x::Operator::conv1d : ai8x::Operator::conv2d;
    l.kernel = {1, 1};
    l.pad = {0, 0};
  }
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
  finish(op, std::move(l), outputs, flow.last ? flow.dim : Size2{1, 1});
}

// Is the input read by linear layers alone, which take its rows?
bool Matcher::reads_rows(ValueId input) const {
  if (value(input).shape.rank() != 3) return false;
  bool any = false;
  for (const Op& op : graph_.ops) {
    if (std::ranges::find(op.inputs, input) == op.inputs.end()) continue;
    const bool linear = (op.kind == OpKind::matmul || op.kind == OpKind::fully_connected) &&
                        op.inputs[0] == input && op.inputs.size() > 1 && op.inputs[1] != kAbsent &&
                        value(op.inputs[1]).is_constant() && value(op.inputs[1]).shape.rank() == 2;
    if (!linear) return false;
    any = true;
  }
  return any;
}

// Operators that take each feature of a row, or all of one row.
bool Matcher::of_rows(OpKind kind) const {
  switch (kind) {
    case OpKind::fully_connected:
    case OpKind::matmul:
    case OpKind::transpose:
    case OpKind::identity:
    case OpKind::relu:
    case OpKind::clip:
    case OpKind::add:
    case OpKind::sub:
    case OpKind::mul:
    case OpKind::div:
    case OpKind::neg:
    case OpKind::maximum:
    case OpKind::softmax:
    case OpKind::log_softmax:
    case OpKind::logistic:
      return true;
    default:
      return false;
  }
}

// Channels behind the pixels, or in front of them again: no work for the device.
void Matcher::turn(size_t op, Flow flow) {
  const Op& o = at(op);
  const Value& order = value(o.inputs[1]);
  const int rank = value(o.inputs[0]).shape.rank();
  std::vector<int64_t> axes;
  if (order.is_constant()) {
    const Bytes& data = *order.constant;
    if (order.dtype == DType::int64) {
      axes.resize(data.size() / sizeof(int64_t));
      std::memcpy(axes.data(), data.data(), axes.size() * sizeof(int64_t));
    } else if (order.dtype == DType::int32) {
      std::vector<int32_t> narrow(data.size() / sizeof(int32_t));
      std::memcpy(narrow.data(), data.data(), narrow.size() * sizeof(int32_t));
      axes.assign(narrow.begin(), narrow.end());
    }
  }
  std::vector<int64_t> back = {0}, front = {0, rank - 1};
  for (int64_t i = 2; i < rank; ++i) back.push_back(i);
  back.push_back(1);
  for (int64_t i = 1; i + 1 < rank; ++i) front.push_back(i);
  const bool plain = !flow.vector && !flow.padded && rank >= 3;
  if (!plain || axes != (flow.last ? front : back)) {
    return unknown(op,
                   "puts axes in another order than channels behind the pixels, or in front of "
                   "them again");
  }
  flow = settled(op, std::move(flow), o.inputs[0]);
  if (!flow.known) return;
  flow.last = !flow.last;
  pass_on(op, std::move(flow));
}

}  // namespace edgetwin::max78

#include "ops/fast/input_range.h"

#include <algorithm>

#include "tensor/tensor.h"

namespace edgetwin::ops {
namespace {

constexpr int kMaxSteps = 16;  // of looking back

const Op* producer(const Graph& graph, ValueId id) {
  for (const Op& op : graph.ops) {
    if (std::find(op.outputs.begin(), op.outputs.end(), id) != op.outputs.end()) return &op;
  }
  return nullptr;
}

Activation fused_activation(const Op& op) {
  if (const auto* a = std::get_if<Conv2DAttrs>(&op.attrs)) return a->activation;
  if (const auto* a = std::get_if<FullyConnectedAttrs>(&op.attrs)) return a->activation;
  if (const auto* a = std::get_if<MatMulAttrs>(&op.attrs)) return a->activation;
  return Activation::none;
}

// Operators that the runtime runs as their 8-bit table where they have one.
bool is_looked_up(const Graph& graph, const Op& op) {
  if (op.table == kAbsent || op.inputs[0] == kAbsent) return false;
  switch (op.kind) {
    case OpKind::relu:
    case OpKind::prelu:
    case OpKind::clip:
    case OpKind::logistic:
    case OpKind::tanh:
    case OpKind::hard_swish:
    case OpKind::hard_sigmoid:
    case OpKind::elu:
    case OpKind::leaky_relu:
    case OpKind::swish:
    case OpKind::exp:
    case OpKind::log:
    case OpKind::sqrt:
    case OpKind::gelu:
    case OpKind::lut:
      return graph.value(op.inputs[0]).dtype == DType::int8 &&
             graph.value(op.table).dtype == DType::int8;
    default:
      return false;
  }
}

bool only_moves(OpKind kind) {
  return kind == OpKind::max_pool_2d || kind == OpKind::reshape || kind == OpKind::transpose ||
         kind == OpKind::slice_steps || kind == OpKind::split_sizes;
}

ValueRange type_range(DType type) {
  const auto range = integer_range(type);
  return range ? ValueRange{range->low, range->high} : ValueRange{-32768, 32767};
}

ValueRange table_range(const Value& table) {
  ValueRange range{32767, -32768};
  for (int64_t i = 0; i < table.shape.elements(); ++i) {
    const auto v = static_cast<int64_t>(element_as_double(table.dtype, *table.constant, i));
    range = {std::min(range.low, v), std::max(range.high, v)};
  }
  return range;
}

}  // namespace

ValueRange input_range(const OpContext& c, size_t i) {
  const Graph& graph = c.graph();
  ValueId id = c.op().inputs[i];
  const ValueRange all = type_range(graph.value(id).dtype);
  for (int step = 0; step < kMaxSteps; ++step) {
    const Op* op = producer(graph, id);
    if (op == nullptr || op->inputs.empty()) return all;
    if (fused_activation(*op) == Activation::relu) return {0, all.high};
    if (is_looked_up(graph, *op)) return table_range(graph.value(op->table));
    if (op->kind == OpKind::relu) return {0, all.high};
    if (!only_moves(op->kind) || op->inputs[0] == kAbsent) return all;
    id = op->inputs[0];
  }
  return all;
}

}  // namespace edgetwin::ops

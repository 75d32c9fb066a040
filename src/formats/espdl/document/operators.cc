#include "formats/espdl/document/operators.h"

#include <array>

namespace edgetwin::espdl {
namespace {

struct KindRow {
  std::string_view type;
  OpKind kind;
};

constexpr std::array kKinds = {
#define OPERATOR(type, function, kind) KindRow{#type, OpKind::kind},
#include "formats/espdl/document/operators.def"
#undef OPERATOR
};

bool is_integer(const Graph& graph, const Op& op) {
  if (!op.has_input(0)) return false;
  const DType type = graph.value(op.inputs[0]).dtype;
  return type == DType::int8 || type == DType::int16;
}

// Kinds of which the operands decide the type.
std::string_view type_by_operands(const Graph& graph, const Op& op) {
  if (op.kind == OpKind::quantize) {
    return is_integer(graph, op) ? "RequantizeLinear" : "QuantizeLinear";
  }
  if (op.kind == OpKind::average_pool_2d) {
    const auto& a = op.as<PoolAttrs>();
    return a.filter_h == 0 && a.filter_w == 0 ? "GlobalAveragePool" : "AveragePool";
  }
  if (op.kind == OpKind::depthwise_conv_2d) return "Conv";
  if (op.kind == OpKind::fully_connected) return op.type == "MatMul" ? "MatMul" : "Gemm";
  return "";
}

}  // namespace

OpKind kind_of(std::string_view op_type) {
  for (const KindRow& row : kKinds) {
    if (row.type == op_type) return row.kind;
  }
  return OpKind::opaque;
}

bool is_operator(std::string_view op_type) { return kind_of(op_type) != OpKind::opaque; }

std::string_view type_of(const Graph& graph, const Op& op) {
  if (op.kind == OpKind::opaque) return "";
  if (const auto decided = type_by_operands(graph, op); !decided.empty()) return decided;
  std::string_view first;
  for (const KindRow& row : kKinds) {
    if (row.kind != op.kind) continue;
    if (row.type == op.type) return row.type;
    if (first.empty()) first = row.type;
  }
  return first;
}

}  // namespace edgetwin::espdl

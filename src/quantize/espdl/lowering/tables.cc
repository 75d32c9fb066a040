#include "quantize/espdl/lowering/tables.h"

#include <cmath>

#include "lut/table.h"

namespace edgetwin::quantize {
namespace {

// The real number of a constant of one element.
std::optional<float> number(const Graph& graph, const Op& op, size_t operand) {
  if (!op.has_input(operand)) return std::nullopt;
  const Value& v = graph.value(op.inputs[operand]);
  if (!v.is_constant() || v.shape.elements() != 1) return std::nullopt;
  return static_cast<float>(element_as_double(v.dtype, *v.constant, 0)) * v.quant.scale_of(0);
}

void set_parameters(const Node& node, const Op& op, const Graph& graph, lut::TableSpec& spec) {
  const Attrs& attrs = op.kind == OpKind::lut ? node.original_attrs : op.attrs;
  const lut::FunctionInfo& f = lut::info(spec.function);
  if (const auto* a = std::get_if<AlphaAttrs>(&attrs)) {
    if (f.alpha) spec.alpha = a->alpha;
    if (f.beta) spec.beta = a->beta;
  }
  if (op.kind == OpKind::clip) {
    spec.alpha = number(graph, op, 1);
    spec.beta = number(graph, op, 2);
  }
  if (op.kind == OpKind::prelu) spec.alpha = number(graph, op, 1);
}

bool wants_table(const Op& op, const Graph& graph) {
  if (op.kind == OpKind::prelu) return graph.value(op.inputs[1]).shape.elements() == 1;
  if (op.kind == OpKind::clip || op.kind == OpKind::lut) return true;
  return op.inputs.size() == 1 && op.outputs.size() == 1;
}

}  // namespace

Result<std::optional<BuiltTable>> table_of(const Node& node, const Op& op, const Graph& graph,
                                           const Settings& settings) {
  using Table = std::optional<BuiltTable>;
  const std::string& type = op.kind == OpKind::lut ? node.original_type : op.type;
  const auto function = lut::function_from_name(type);
  if (!function || op.outputs.empty() || !wants_table(op, graph)) return Table{};
  const Value& in = graph.value(op.inputs[0]);
  const Value& out = graph.value(op.outputs[0]);
  const bool narrow = in.dtype == DType::int8;
  if (in.dtype != out.dtype || (!narrow && in.dtype != DType::int16)) return Table{};
  if (!narrow && settings.lut.step <= 0) return Table{};
  lut::TableSpec spec;
  spec.function = *function;
  spec.in_exponent = in.quant.exponent[0];
  spec.out_exponent = out.quant.exponent[0];
  spec.bits = narrow ? 8 : 16;
  spec.step = narrow ? 1 : settings.lut.step;
  spec.rounding = rounding_of(settings.target);
  if (node.formula.empty()) {
    set_parameters(node, op, graph, spec);
  } else {
    EDGETWIN_TRY(lut::set_formula(spec, node.formula));
  }
  Result<Tensor> table = lut::build(spec);
  if (!table.ok()) return std::move(table).error().in_layer(op.type + " '" + op.name + "'");
  BuiltTable built{std::move(*table), {type, spec.alpha, spec.beta, node.formula}};
  return Table{std::move(built)};
}

}  // namespace edgetwin::quantize

#include <algorithm>
#include <cmath>

#include "graph/graph.h"
#include "tensor/tensor.h"

namespace edgetwin {
namespace {

std::string value_label(const Graph& graph, ValueId id) {
  return "tensor " + std::to_string(id) + " '" + graph.value(id).name + "'";
}

Status check_reference(const Graph& graph, ValueId id, const std::string& where, bool optional) {
  if (id == kAbsent && optional) return Ok{};
  if (id >= 0 && static_cast<size_t>(id) < graph.values.size()) return Ok{};
  return Error(ErrorCode::graph_reference, "tensor " + std::to_string(id) +
                                               " is used, the graph has " +
                                               std::to_string(graph.values.size()))
      .in_layer(where);
}

Status check_arity(const Graph& graph, size_t index) {
  const Op& op = graph.ops[index];
  const OpInfo& row = info(op.kind);
  const auto outside = [](size_t n, Arity a) {
    return n < static_cast<size_t>(a.min) || n > static_cast<size_t>(a.max);
  };
  const bool inputs = outside(op.inputs.size(), row.inputs);
  if (!inputs && !outside(op.outputs.size(), row.outputs)) return Ok{};
  const Arity wanted = inputs ? row.inputs : row.outputs;
  const size_t found = inputs ? op.inputs.size() : op.outputs.size();
  return Error(ErrorCode::graph_arity,
               std::to_string(found) + (inputs ? " inputs, " : " outputs, ") +
                   std::to_string(wanted.min) + " to " + std::to_string(wanted.max) + " expected")
      .in_layer(op_label(graph, index));
}

Status check_quant(const Graph& graph, ValueId id) {
  const Value& v = graph.value(id);
  const Quant& q = v.quant;
  const auto fail = [&](const std::string& what) {
    return Error(ErrorCode::graph_quant, what).in_field(value_label(graph, id));
  };
  if (!q.present()) return Ok{};
  if (q.channels() == 0) return fail("a quantization without a scale");
  if (q.scheme == Quant::Scheme::affine && q.zero_point.size() != q.scale.size()) {
    return fail(std::to_string(q.scale.size()) + " scales with " +
                std::to_string(q.zero_point.size()) + " zero points");
  }
  for (const float s : q.scale) {
    if (!std::isfinite(s) || s <= 0.0F) return fail("scale " + std::to_string(s));
  }
  const auto range = integer_range(v.dtype);
  for (const int64_t z : q.zero_point) {
    if (range && (z < range->low || z > range->high)) {
      return fail("zero point " + std::to_string(z) + " outside " + std::string(name(v.dtype)));
    }
  }
  if (!q.per_channel() || !v.has_shape) return Ok{};
  const bool axis_ok = q.axis >= 0 && q.axis < v.shape.rank();
  if (!axis_ok || v.shape[q.axis] != static_cast<int64_t>(q.channels())) {
    return fail(std::to_string(q.channels()) + " scales along axis " + std::to_string(q.axis) +
                " of " + to_string(v.shape));
  }
  return Ok{};
}

Status check_constant(const Graph& graph, ValueId id) {
  const Value& v = graph.value(id);
  if (!v.is_constant() || bits(v.dtype) == 0) return Ok{};
  const bool usable = within_limits(v.dtype, v.shape);
  const int64_t wanted = usable ? storage_bytes(v.dtype, v.shape.elements()) : -1;
  if (wanted == static_cast<int64_t>(v.constant->size())) return Ok{};
  return Error(ErrorCode::tflite_size, std::to_string(v.constant->size()) + " bytes, " +
                                           std::to_string(wanted) + " expected")
      .in_field(value_label(graph, id))
      .detail(to_string(v.shape) + " " + std::string(name(v.dtype)));
}

// True if a filter of these sizes can belong to an input of these sizes in the layout.
bool fits(Layout layout, OpKind kind, const Shape& in, const Shape& filter) {
  const bool last = layout == Layout::nhwc;
  const int64_t channels = last ? in[in.rank() - 1] : in[1];
  const bool depthwise = kind == OpKind::depthwise_conv_2d;
  if (last && depthwise) return channels > 0 && filter[filter.rank() - 1] % channels == 0;
  const int64_t of_group = last ? filter[filter.rank() - 1] : filter[1];
  return of_group > 0 && channels % of_group == 0 && (!depthwise || of_group == 1);
}

// A filter that fits only in the other order says that the graph's layout is not the network's.
Status check_filter_order(const Graph& graph, size_t index) {
  const Op& op = graph.ops[index];
  if (op.kind != OpKind::conv_2d && op.kind != OpKind::depthwise_conv_2d) return Ok{};
  if (!op.has_input(0) || !op.has_input(1)) return Ok{};
  const Value& in = graph.value(op.inputs[0]);
  const Value& filter = graph.value(op.inputs[1]);
  constexpr int kFewestAxes = 3;  // of a convolution along one axis
  if (in.shape.rank() < kFewestAxes || filter.shape.rank() < kFewestAxes) return Ok{};
  const Layout other = graph.layout == Layout::nhwc ? Layout::nchw : Layout::nhwc;
  if (fits(graph.layout, op.kind, in.shape, filter.shape)) return Ok{};
  if (!fits(other, op.kind, in.shape, filter.shape)) return Ok{};
  return Error(ErrorCode::graph_layout, "the graph is " + std::string(name(graph.layout)) +
                                            ", but the filter " + to_string(filter.shape) +
                                            " for the input " + to_string(in.shape) +
                                            " is in the order of " + std::string(name(other)))
      .in_layer(op_label(graph, index));
}

Status check_op(const Graph& graph, size_t index, std::vector<char>& made) {
  const Op& op = graph.ops[index];
  const std::string label = "#" + std::to_string(index) + " " + op_type_name(op);
  for (const ValueId id : op.inputs) EDGETWIN_TRY(check_reference(graph, id, label, true));
  for (const ValueId id : op.outputs) EDGETWIN_TRY(check_reference(graph, id, label, false));
  for (const ValueId id : op.intermediates) EDGETWIN_TRY(check_reference(graph, id, label, true));
  EDGETWIN_TRY(check_reference(graph, op.table, label, true));
  if (op.table != kAbsent && !graph.value(op.table).is_constant()) {
    return Error(ErrorCode::op_constant, "the look-up table must be a constant").in_layer(label);
  }
  EDGETWIN_TRY(check_arity(graph, index));
  if (op.attrs.index() != default_attrs(op.kind).index()) {
    return Error(ErrorCode::internal, "attributes of another operator").in_layer(label);
  }
  for (const ValueId id : op.inputs) {
    if (id != kAbsent && !made[static_cast<size_t>(id)]) {
      return Error(ErrorCode::graph_order, value_label(graph, id) + " is used before it is made")
          .in_layer(op_label(graph, index));
    }
  }
  for (const ValueId id : op.outputs) {
    if (made[static_cast<size_t>(id)]) {
      return Error(ErrorCode::graph_duplicate, value_label(graph, id) + " has a value already")
          .in_layer(op_label(graph, index));
    }
    made[static_cast<size_t>(id)] = 1;
  }
  return check_filter_order(graph, index);
}

}  // namespace

Status require_layout(const Graph& graph, Layout wanted) {
  if (graph.layout == wanted) return Ok{};
  return Error(ErrorCode::graph_layout, "the graph is " + std::string(name(graph.layout)) + ", " +
                                            std::string(name(wanted)) + " is needed");
}

Status verify_graph(const Graph& graph) {
  for (const ValueId id : graph.inputs) EDGETWIN_TRY(check_reference(graph, id, "graph", false));
  for (const ValueId id : graph.outputs) EDGETWIN_TRY(check_reference(graph, id, "graph", false));
  std::vector<char> made(graph.values.size(), 0);
  for (size_t i = 0; i < graph.values.size(); ++i) {
    const auto id = static_cast<ValueId>(i);
    EDGETWIN_TRY(check_quant(graph, id));
    EDGETWIN_TRY(check_constant(graph, id));
    made[i] = graph.values[i].is_constant() || graph.values[i].is_variable;
  }
  for (const ValueId id : graph.inputs) {
    if (graph.value(id).is_constant()) {
      return Error(ErrorCode::graph_duplicate, value_label(graph, id) + " is input and constant");
    }
    made[static_cast<size_t>(id)] = 1;
  }
  for (size_t i = 0; i < graph.ops.size(); ++i) EDGETWIN_TRY(check_op(graph, i, made));
  for (const ValueId id : graph.outputs) {
    if (!made[static_cast<size_t>(id)]) {
      return Error(ErrorCode::graph_order,
                   value_label(graph, id) + " is an output that nobody makes");
    }
  }
  return Ok{};
}

}  // namespace edgetwin

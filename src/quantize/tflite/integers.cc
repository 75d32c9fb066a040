// The float graph becomes one of integers.
#include <algorithm>
#include <cmath>
#include <iterator>

#include "quantize/tflite/steps.h"
#include "tensor/tensor.h"
#include "transform/subgraph.h"

namespace edgetwin::quantize {
namespace {

constexpr TfliteOperator kTfliteOperators[] = {
#define TFLITE_OPERATOR(kind, version, scales) {OpKind::kind, version, Scales::scales},
#include "quantize/tflite/operators.def"
#undef TFLITE_OPERATOR
};

std::span<const float> constant_floats(const Value& v) {
  return {reinterpret_cast<const float*>(v.constant->data()), v.constant->size() / sizeof(float)};
}

bool is_float_constant(const Graph& graph, const Op& op, size_t i) {
  return op.has_input(i) && graph.value(op.inputs[i]).is_constant() &&
         graph.value(op.inputs[i]).dtype == DType::float32;
}

RealRange range_of(std::span<const float> values) {
  RealRange range;
  for (const float v : values) range.take({v, v});
  return range;
}

// What an operator cannot be in int8; "" if nothing.
std::string problem(const Graph& graph, const Op& op) {
  const TfliteOperator* row = tflite_operator(op.kind);
  if (row == nullptr) return "has no int8 form in TensorFlow Lite";
  if (row->scales != Scales::weights) return "";
  if (!is_float_constant(graph, op, 1)) return "the filter must be a constant";
  const size_t bias = weight_operands(op.kind).bias;
  if (op.has_input(bias) && !is_float_constant(graph, op, bias)) {
    return "the bias must be a constant";
  }
  return "";
}

class Integers {
 public:
  Integers(const Graph& network, std::vector<RealRange> ranges)
      : graph_(network), ranges_(std::move(ranges)) {}

  Result<Graph> run(std::vector<Finding>& findings) {
    EDGETWIN_TRY(check_constants());
    quants_ = share_scales(graph_, ranges_, findings);
    for (Op& op : graph_.ops) take(op);
    for (size_t v = 0; v < quants_.size(); ++v) {
      if (!quants_[v].present()) continue;
      graph_.values[v].dtype = DType::int8;
      graph_.values[v].quant = quants_[v];
    }
    // Float constants that have an integer form now, and tensors of fused activations.
    transform::remove_unused_values(graph_);
    return std::move(graph_);
  }

 private:
  Status check_constants() const {
    for (const Value& v : graph_.values) {
      if (!v.is_constant() || v.dtype != DType::float32) continue;
      const auto values = constant_floats(v);
      if (std::all_of(values.begin(), values.end(), [](float x) { return std::isfinite(x); })) {
        continue;
      }
      return Error(ErrorCode::quant_not_finite, "the constant '" + v.name + "' is not finite");
    }
    return Ok{};
  }

  ValueId add(const Value& like, DType type, Quant quant, Bytes data) {
    Value v = like;
    v.dtype = type;
    v.quant = std::move(quant);
    v.constant = std::make_shared<const Bytes>(std::move(data));
    graph_.values.push_back(std::move(v));
    return static_cast<ValueId>(graph_.values.size() - 1);
  }

  const Quant& quant(ValueId id) const { return quants_[static_cast<size_t>(id)]; }

  void take(Op& op) {
    if (op.kind == OpKind::quantize) return;
    const TfliteOperator& row = *tflite_operator(op.kind);
    op.version = row.version;
    if (row.scales == Scales::weights) return take_weights(op);
    for (size_t i = 0; i < op.inputs.size(); ++i) {
      if (!is_float_constant(graph_, op, i)) continue;
      const Value v = graph_.value(op.inputs[i]);
      // What PADV2 puts around is on the scale of the tensor, at worst its lowest number.
      const bool shares = row.scales == Scales::join || op.kind == OpKind::padv2;
      const Quant q = shares ? quant(op.outputs[0]) : asymmetric(range_of(constant_floats(v)));
      op.inputs[i] = add(v, DType::int8, q, to_int8(constant_floats(v), q, 1, 1, -128));
    }
  }

  // Filters of convolutions have a scale per output channel, matrices one for all.
  void take_weights(Op& op) {
    const Value v = graph_.value(op.inputs[1]);
    const bool depthwise = op.kind == OpKind::depthwise_conv_2d;
    const bool matrix = op.kind == OpKind::fully_connected;
    const int axis = depthwise ? 3 : 0;
    const int64_t channels = matrix ? 1 : v.shape[axis];
    const int64_t inner =
        depthwise || matrix ? 1 : v.shape.elements() / std::max<int64_t>(1, channels);
    const Quant q = symmetric(constant_floats(v), channels, inner, axis);
    const auto [data, filter, bias] = weight_operands(op.kind);
    const Quant in = quant(op.inputs[data]);
    op.inputs[filter] =
        add(v, DType::int8, q, to_int8(constant_floats(v), q, channels, inner, -127));
    if (!op.has_input(bias)) return;
    const Value b = graph_.value(op.inputs[bias]);
    Quant products;
    Bytes numbers = to_bias(constant_floats(b), in, q, products);
    op.inputs[bias] = add(b, DType::int32, std::move(products), std::move(numbers));
  }

  Graph graph_;
  std::vector<RealRange> ranges_;
  std::vector<Quant> quants_;  // of computed tensors
};

}  // namespace

const TfliteOperator* tflite_operator(OpKind kind) {
  const auto* row = std::find_if(std::begin(kTfliteOperators), std::end(kTfliteOperators),
                                 [kind](const TfliteOperator& r) { return r.kind == kind; });
  return row == std::end(kTfliteOperators) ? nullptr : row;
}

Status check_tflite_operators(const Graph& graph) {
  Error error(ErrorCode::quant_operator, "");
  for (size_t i = 0; i < graph.ops.size(); ++i) {
    const std::string what = problem(graph, graph.ops[i]);
    if (!what.empty()) error.details.push_back(op_label(graph, i) + ": " + what);
  }
  if (error.details.empty()) return Ok{};
  error.message =
      std::to_string(error.details.size()) + " operators cannot become int8 for TensorFlow Lite";
  return error;
}

Result<Graph> to_integers(const Graph& network, std::vector<RealRange> ranges,
                          std::vector<Finding>& findings) {
  return Integers(network, std::move(ranges)).run(findings);
}

}  // namespace edgetwin::quantize

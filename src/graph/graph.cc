#include "graph/graph.h"

namespace edgetwin {

Attrs::Attrs() = default;
Attrs::Attrs(const Attrs& other) = default;
Attrs::Attrs(Attrs&& other) noexcept = default;
Attrs& Attrs::operator=(const Attrs& other) = default;
Attrs& Attrs::operator=(Attrs&& other) noexcept = default;
Attrs::~Attrs() = default;

std::string_view name(Layout layout) { return layout == Layout::nhwc ? "NHWC" : "NCHW"; }

std::string op_type_name(const Op& op) {
  if (!op.type.empty()) return op.type;
  switch (op.kind) {
    case OpKind::opaque:
      return op.as<OpaqueAttrs>().name;
    case OpKind::detection_postprocess:
      return "TFLite_Detection_PostProcess";
    case OpKind::posenet_decoder:
      return "PosenetDecoderOp";
    default:
      // Operators that no TensorFlow Lite file has go by their own name.
      return std::string(info(op.kind).builtin == "CUSTOM" ? info(op.kind).name
                                                           : info(op.kind).builtin);
  }
}

std::string op_label(const Graph& graph, size_t op_index) {
  const Op& op = graph.ops[op_index];
  std::string label = "#" + std::to_string(op_index) + " " + op_type_name(op);
  std::string own = op.name;
  if (own.empty() && !op.outputs.empty() && op.outputs[0] >= 0 &&
      static_cast<size_t>(op.outputs[0]) < graph.values.size()) {
    own = graph.value(op.outputs[0]).name;
  }
  if (!own.empty()) label += " '" + own + "'";
  return label;
}

namespace {

bool same_constant(const Value& a, const Value& b) {
  if (a.is_constant() != b.is_constant()) return false;
  return !a.is_constant() || *a.constant == *b.constant;
}

std::string value_difference(const Value& a, const Value& b) {
  if (a.name != b.name) return "name '" + a.name + "' / '" + b.name + "'";
  if (a.dtype != b.dtype) {
    return "type " + std::string(name(a.dtype)) + " / " + std::string(name(b.dtype));
  }
  if (!(a.shape == b.shape) || a.has_shape != b.has_shape) {
    return "shape " + to_string(a.shape) + " / " + to_string(b.shape);
  }
  if (!(a.quant == b.quant)) {
    return "quantization " + to_string(a.quant) + " / " + to_string(b.quant);
  }
  if (a.is_variable != b.is_variable) return "one is a variable";
  return same_constant(a, b) ? "" : "constant bytes";
}

std::string op_difference(const Op& a, const Op& b) {
  if (a.kind != b.kind) return "operator " + op_type_name(a) + " / " + op_type_name(b);
  if (!(a.attrs == b.attrs)) return "options";
  if (a.inputs != b.inputs) return "inputs";
  if (a.outputs != b.outputs) return "outputs";
  if (a.intermediates != b.intermediates) return "intermediates";
  if (a.table != b.table) return "look-up table";
  return a.version == b.version ? "" : "version";
}

std::string graph_difference(const Graph& a, const Graph& b) {
  if (a.layout != b.layout) return "layout";
  if (a.name != b.name) return "graph name";
  if (a.values.size() != b.values.size()) return "number of tensors";
  if (a.ops.size() != b.ops.size()) return "number of operators";
  if (a.inputs != b.inputs) return "graph inputs";
  if (a.outputs != b.outputs) return "graph outputs";
  for (size_t i = 0; i < a.values.size(); ++i) {
    if (auto d = value_difference(a.values[i], b.values[i]); !d.empty()) {
      return "tensor " + std::to_string(i) + " '" + a.values[i].name + "': " + d;
    }
  }
  for (size_t i = 0; i < a.ops.size(); ++i) {
    if (auto d = op_difference(a.ops[i], b.ops[i]); !d.empty()) return op_label(a, i) + ": " + d;
  }
  return "";
}

}  // namespace

bool equal(const Graph& a, const Graph& b, std::string* difference) {
  std::string found = graph_difference(a, b);
  const bool same = found.empty();
  if (difference != nullptr) *difference = std::move(found);
  return same;
}

}  // namespace edgetwin

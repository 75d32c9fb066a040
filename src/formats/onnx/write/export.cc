#include <cstring>

#include "formats/onnx/write/write.h"
#include "tensor/tensor.h"

namespace edgetwin::onnx {
namespace {

constexpr int64_t kIrVersion = 8;  // of the release that has this set of operators
constexpr int64_t kOpset = 13;

Attribute integer_attribute_of(const char* name, int64_t value) {
  Attribute a;
  a.name = name;
  a.kind = Attribute::Kind::integer;
  a.integer = value;
  return a;
}

bool is_plain(const Op& op) {
  const auto* binary = std::get_if<BinaryAttrs>(&op.attrs);
  const auto* dense = std::get_if<FullyConnectedAttrs>(&op.attrs);
  const auto* joined = std::get_if<ConcatAttrs>(&op.attrs);
  return (binary == nullptr || binary->activation == Activation::none) &&
         (dense == nullptr || (dense->activation == Activation::none && !dense->keep_num_dims)) &&
         (joined == nullptr || joined->activation == Activation::none);
}

class GraphExporter {
 public:
  explicit GraphExporter(const Graph& graph) : g_(graph), written_(graph.values.size()) {}

  Result<Document> run() && {
    d_.ir_version = kIrVersion;
    d_.opset = kOpset;
    d_.producer = "edgetwin";
    d_.graph_name = g_.name;
    for (const ValueId id : g_.inputs) d_.inputs.push_back(info(id));
    for (const ValueId id : g_.outputs) d_.outputs.push_back(info(id));
    for (size_t i = 0; i < g_.ops.size(); ++i) EDGETWIN_TRY(take(i));
    return std::move(d_);
  }

 private:
  ValueInfo info(ValueId id) const {
    const Value& v = g_.value(id);
    ValueInfo made;
    made.name = v.name;
    made.dtype = v.dtype;
    made.has_shape = true;
    for (const int64_t size : v.shape.dims()) made.dims.push_back({size, ""});
    return made;
  }

  Error refused(size_t index, const std::string& why) const {
    return Error(ErrorCode::onnx_operator,
                 op_label(g_, index) + " has no form in ONNX here: " + why)
        .with_hint("Write the network as .tflite; docs/formats/onnx.md lists what can be written.");
  }

  // A constant is written where it is first used.
  std::string named(ValueId id) {
    const Value& v = g_.value(id);
    if (v.is_constant() && !written_[static_cast<size_t>(id)]) {
      written_[static_cast<size_t>(id)] = true;
      d_.initializers.push_back({v.name, v.dtype, v.shape, v.constant});
    }
    return v.name;
  }

  // Sizes are int64 in ONNX.
  std::string sizes(const std::string& name, const Shape& shape) {
    const auto dims = shape.dims();
    TensorData t;
    t.name = name;
    t.dtype = DType::int64;
    t.shape = {static_cast<int64_t>(dims.size())};
    t.data = std::make_shared<const Bytes>(to_bytes(std::as_bytes(dims)));
    d_.initializers.push_back(std::move(t));
    return name;
  }

  Status take(size_t index) {
    const Op& op = g_.ops[index];
    if (!is_plain(op)) return refused(index, "an activation is fused into it");
    for (const ValueId id : op.outputs) {
      if (g_.value(id).dtype != DType::float32) return refused(index, "it is not in float32");
    }
    Node n;
    n.index = index;
    n.name = op.name.empty() ? g_.value(op.outputs.front()).name : op.name;
    for (const ValueId id : op.outputs) n.outputs.push_back(g_.value(id).name);
    EDGETWIN_TRY(fill(index, op, n));
    d_.nodes.push_back(std::move(n));
    return Ok{};
  }

  Status fill(size_t index, const Op& op, Node& n) {
    switch (op.kind) {
      case OpKind::add:
      case OpKind::sub:
      case OpKind::mul:
        n.op_type = op.kind == OpKind::add ? "Add" : op.kind == OpKind::sub ? "Sub" : "Mul";
        n.inputs = {named(op.inputs[0]), named(op.inputs[1])};
        return Ok{};
      case OpKind::reshape:
        n.op_type = "Reshape";
        n.inputs = {named(op.inputs[0]),
                    sizes(n.outputs[0] + "/sizes", g_.value(op.outputs[0]).shape)};
        return Ok{};
      case OpKind::concatenation:
        n.op_type = "Concat";
        for (const ValueId id : op.inputs) n.inputs.push_back(named(id));
        n.attributes = {integer_attribute_of("axis", op.as<ConcatAttrs>().axis)};
        return Ok{};
      case OpKind::split:
        return split(index, op, n);
      case OpKind::fully_connected:
        n.op_type = "Gemm";
        for (const ValueId id : op.inputs) {
          if (id != kAbsent) n.inputs.push_back(named(id));
        }
        n.attributes = {integer_attribute_of("transB", 1)};
        return Ok{};
      default:
        return refused(index, "the writer does not know it");
    }
  }

  Status split(size_t index, const Op& op, Node& n) {
    const Value& axis = g_.value(op.inputs[0]);
    if (!axis.is_constant() || axis.constant->size() != sizeof(int32_t)) {
      return refused(index, "its axis is not a constant");
    }
    int32_t number = 0;
    std::memcpy(&number, axis.constant->data(), sizeof number);
    n.op_type = "Split";
    n.inputs = {named(op.inputs[1])};
    n.attributes = {integer_attribute_of("axis", number)};
    return Ok{};
  }

  const Graph& g_;
  std::vector<bool> written_;
  Document d_;
};

}  // namespace

Result<Document> document_of(const Graph& graph) {
  EDGETWIN_TRY(verify_graph(graph));
  return GraphExporter(graph).run();
}

}  // namespace edgetwin::onnx

#include "formats/espdl/lower.h"

#include <algorithm>
#include <array>
#include <cstring>

#include "formats/espdl/lowering.h"
#include "tensor/tensor.h"

namespace edgetwin::espdl {
namespace {

using LowerFn = Status (*)(Lowering&, Lowering::Building&);

struct OperatorRow {
  std::string_view type;
  LowerFn lower;
};

constexpr std::array kOperators = {
#define OPERATOR(type, function, kind) OperatorRow{#type, lower_##function},
#include "formats/espdl/operators.def"
#undef OPERATOR
};

const OperatorRow* find_operator(std::string_view type) {
  for (const OperatorRow& row : kOperators) {
    if (row.type == type) return &row;
  }
  return nullptr;
}

// Exponents of integer tensors that carry activations or parameters; others stand for themselves.
Quant quant_of(DType type, const std::vector<int64_t>& exponents) {
  const bool counted = type == DType::int8 || type == DType::int16;
  const bool bias =
      (type == DType::int32 || type == DType::int64) && !exponents.empty() &&
      std::any_of(exponents.begin(), exponents.end(), [](int64_t e) { return e != 0; });
  if ((!counted && !bias) || exponents.empty()) return {};
  Quant q;
  q.scheme = Quant::Scheme::power_of_two;
  for (const int64_t e : exponents) {
    q.exponent.push_back(static_cast<int>(std::clamp<int64_t>(e, -1000, 1000)));
  }
  return q;
}

Result<Shape> shape_of(const std::vector<int64_t>& dims) {
  if (dims.size() > Shape::kMaxRank) {
    return Error(ErrorCode::espdl_tensor,
                 std::to_string(dims.size()) + " dimensions, at most 8 are possible");
  }
  return Shape(std::span<const int64_t>(dims));
}

// The exporter writes inputs and outputs in the order of a set. The embedded test values have the
// order of the float model; without them it is that of the runtime's own maps, by name.
std::vector<ValueInfo> in_order(std::vector<ValueInfo> infos,
                                const std::vector<TensorData>& tests) {
  const auto rank = [&](const ValueInfo& v) {
    const auto at = std::find_if(tests.begin(), tests.end(),
                                 [&](const TensorData& t) { return t.name == v.name; });
    return at - tests.begin();
  };
  std::stable_sort(infos.begin(), infos.end(), [&](const ValueInfo& a, const ValueInfo& b) {
    return rank(a) != rank(b) ? rank(a) < rank(b) : a.name < b.name;
  });
  return infos;
}

}  // namespace

Result<Tensor> to_tensor(const TensorData& data) {
  const auto type = dtype_of_code(data.type);
  if (!type) {
    return Error(ErrorCode::espdl_tensor, "a tensor of type " + std::string(name(data.type)))
        .in_field(data.name);
  }
  Tensor t;
  t.name = data.name;
  t.dtype = *type;
  EDGETWIN_TRY_ASSIGN(t.shape, shape_of(data.dims));
  t.quant = quant_of(*type, data.exponents);
  t.data = data.data;
  const bool usable = within_limits(*type, t.shape);
  if (usable && storage_bytes(*type, t.shape.elements()) == static_cast<int64_t>(t.data.size())) {
    return t;
  }
  return Error(ErrorCode::espdl_tensor, std::to_string(t.data.size()) + " bytes for a tensor of " +
                                            to_string(t.shape) + " " +
                                            std::string(edgetwin::name(*type)))
      .in_field(data.name);
}

Error Lowering::error(const Building& b, ErrorCode code, std::string message) const {
  return Error(code, std::move(message)).in_layer(b.label).in_file(file_);
}

void Lowering::finding(const Building& b, Severity severity, std::string message,
                       std::string hint) {
  findings_.push_back({severity, "", b.label, std::move(message), std::move(hint)});
}

ValueId Lowering::add_value(Value v) {
  graph_.values.push_back(std::move(v));
  return static_cast<ValueId>(graph_.values.size() - 1);
}

Result<ValueId> Lowering::add_variable(const std::string& where, const std::string& name) {
  const auto info = infos_.find(name);
  if (info == infos_.end()) {
    return Error(ErrorCode::espdl_reference, "the tensor '" + name + "' is not declared")
        .in_layer(where)
        .in_file(file_);
  }
  const auto type = dtype_of_code(info->second->type);
  if (!type) {
    return Error(ErrorCode::espdl_tensor, "the tensor '" + name + "' has no usable type")
        .in_layer(where)
        .in_file(file_);
  }
  Value v;
  v.name = name;
  v.dtype = *type;
  v.has_shape = info->second->has_shape;
  EDGETWIN_TRY_ASSIGN(v.shape, shape_of(info->second->shape));
  v.quant = quant_of(*type, info->second->exponents);
  if (v.quant.exponent.size() > 1) v.quant.exponent.resize(1);
  const ValueId id = add_value(std::move(v));
  values_[name] = id;
  return ValueId{id};
}

Result<ValueId> Lowering::value(const Building& b, const std::string& name) {
  if (const auto known = values_.find(name); known != values_.end()) {
    return ValueId{known->second};
  }
  const auto data = initializers_.find(name);
  if (data == initializers_.end()) return add_variable(b.label, name);
  Result<Tensor> tensor = to_tensor(*data->second);
  if (!tensor.ok()) return std::move(tensor).error().in_layer(b.label).in_file(file_);
  Value v;
  v.name = name;
  v.dtype = tensor->dtype;
  v.shape = tensor->shape;
  v.quant = tensor->quant;
  // Per channel: the axis is known only to the operator that uses it.
  if (v.quant.exponent.size() > 1) v.quant = {};
  v.constant = std::make_shared<const Bytes>(std::move(tensor->data));
  const ValueId id = add_value(std::move(v));
  values_[name] = id;
  return ValueId{id};
}

Status Lowering::take_input(Building& b, size_t i) {
  if (i >= b.node.inputs.size() || b.node.inputs[i].empty()) {
    b.op.inputs.push_back(kAbsent);
    return Ok{};
  }
  EDGETWIN_TRY_ASSIGN(const ValueId id, value(b, b.node.inputs[i]));
  b.op.inputs.push_back(id);
  return Ok{};
}

const TensorData* Lowering::constant(const Building& b, size_t i) const {
  if (i >= b.node.inputs.size()) return nullptr;
  const auto found = initializers_.find(b.node.inputs[i]);
  return found == initializers_.end() ? nullptr : found->second;
}

Result<std::optional<std::vector<int64_t>>> Lowering::integers(const Building& b, size_t i,
                                                               const char* what) const {
  using Numbers = std::optional<std::vector<int64_t>>;
  if (i >= b.node.inputs.size() || b.node.inputs[i].empty()) return Numbers{};
  const TensorData* data = constant(b, i);
  if (data == nullptr) {
    return error(
        b, ErrorCode::espdl_reference,
        std::string(what) + " must be an initializer, '" + b.node.inputs[i] + "' is computed");
  }
  const bool wide = data->type == DataType::int64;
  if (!wide && data->type != DataType::int32) {
    return error(b, ErrorCode::espdl_tensor,
                 std::string(what) + " is " + std::string(name(data->type)) +
                     ", INT32 or INT64 is expected");
  }
  std::vector<int64_t> numbers(data->data.size() / (wide ? 8 : 4));
  for (size_t k = 0; k < numbers.size(); ++k) {
    int32_t narrow = 0;
    if (wide) {
      std::memcpy(&numbers[k], data->data.data() + k * 8, 8);
    } else {
      std::memcpy(&narrow, data->data.data() + k * 4, 4);
      numbers[k] = narrow;
    }
  }
  return Numbers{std::move(numbers)};
}

Result<Shape> Lowering::declared_shape(const Building& b, size_t i) const {
  const std::string& name = b.node.inputs.at(i);
  if (const auto id = values_.find(name); id != values_.end()) {
    return Shape{graph_.value(id->second).shape};
  }
  const auto info = infos_.find(name);
  if (info == infos_.end() || !info->second->has_shape) {
    return error(b, ErrorCode::espdl_reference, "the shape of '" + name + "' is not declared");
  }
  return shape_of(info->second->shape);
}

ValueId Lowering::add_constant(const Building& b, const char* what, DType dtype, Shape shape,
                               Bytes data, Quant quant) {
  Value v;
  v.name = (b.node.name.empty() ? b.node.op_type : b.node.name) + "." + what;
  v.dtype = dtype;
  v.shape = shape;
  v.quant = std::move(quant);
  v.constant = std::make_shared<const Bytes>(std::move(data));
  return add_value(std::move(v));
}

ValueId Lowering::add_integers(const Building& b, const char* what,
                               const std::vector<int64_t>& numbers) {
  Bytes data(numbers.size() * sizeof(int64_t));
  if (!numbers.empty()) std::memcpy(data.data(), numbers.data(), data.size());
  return add_constant(b, what, DType::int64, {static_cast<int64_t>(numbers.size())},
                      std::move(data));
}

Result<Activation> Lowering::activation(const Building& b) const {
  const std::string text = b.node.text("activation").value_or("Linear");
  if (text == "Linear") return Activation::none;
  if (text == "Relu" || text == "ReLU") return Activation::relu;
  return error(b, ErrorCode::espdl_attribute,
               "the fused activation '" + text + "' is not known; Linear and Relu are");
}

void Lowering::check_quant_type(const Building& b) {
  const auto type = b.node.text("quant_type");
  if (!type) {
    finding(b, Severity::warning, "the attribute quant_type is missing",
            "The runtime reads it without a check; export the model again.");
    return;
  }
  if (b.op.outputs.empty() || b.op.inputs.empty() || b.op.inputs[0] == kAbsent) return;
  const DType data = graph_.value(b.op.inputs[0]).dtype;
  const bool eight = *type == "S8" && data == DType::int16;
  const bool sixteen = *type == "S16" && data == DType::int8;
  const bool converts = b.op.kind == OpKind::quantize || b.op.kind == OpKind::dequantize;
  if (!converts && (eight || sixteen)) {
    finding(b, Severity::warning,
            "quant_type is " + *type + ", the input is " + std::string(edgetwin::name(data)),
            "The runtime goes by quant_type.");
  }
}

Status Lowering::take_outputs(Building& b) {
  for (const std::string& name : b.node.outputs) {
    if (name.empty()) continue;
    const auto place = static_cast<size_t>(&name - b.node.outputs.data());
    if (place != b.op.outputs.size()) {
      return error(
          b, ErrorCode::graph_arity,
          "output " + std::to_string(b.op.outputs.size()) + " is absent, but a later one is not");
    }
    if (values_.contains(name) || initializers_.contains(name)) {
      return error(b, ErrorCode::graph_duplicate, "'" + name + "' has a value already");
    }
    EDGETWIN_TRY_ASSIGN(const ValueId id, add_variable(b.label, name));
    b.op.outputs.push_back(id);
  }
  return Ok{};
}

Status Lowering::take_node(size_t index) {
  const Node& node = document_.nodes[index];
  Building b{node, "#" + std::to_string(index) + " " + node.op_type, {}};
  if (!node.name.empty()) b.label += " '" + node.name + "'";
  b.op.name = node.name;
  b.op.type = node.op_type;
  const OperatorRow* row = find_operator(node.op_type);
  if (row == nullptr) {
    b.op.kind = OpKind::opaque;
    b.op.attrs = OpaqueAttrs{node.op_type, -1, 0, {}};
    for (size_t i = 0; i < node.inputs.size(); ++i) EDGETWIN_TRY(take_input(b, i));
  } else {
    EDGETWIN_TRY(row->lower(*this, b));
  }
  if (const auto lut = node.text("lut")) {
    if (!initializers_.contains(*lut)) {
      return error(b, ErrorCode::espdl_reference, "the table '" + *lut + "' is not in the file");
    }
    EDGETWIN_TRY_ASSIGN(b.op.table, value(b, *lut));
  }
  EDGETWIN_TRY(take_outputs(b));
  check_quant_type(b);
  graph_.ops.push_back(std::move(b.op));
  return Ok{};
}

Result<Model> Lowering::run() {
  graph_.name = document_.graph_name;
  for (const auto* list : {&document_.values, &document_.inputs, &document_.outputs}) {
    for (const ValueInfo& v : *list) infos_.emplace(v.name, &v);
  }
  for (const TensorData& t : document_.initializers) initializers_.emplace(t.name, &t);
  for (const ValueInfo& v : in_order(document_.inputs, document_.test_inputs)) {
    if (initializers_.contains(v.name) || values_.contains(v.name)) continue;
    EDGETWIN_TRY_ASSIGN(const ValueId id, add_variable("the graph", v.name));
    graph_.inputs.push_back(id);
  }
  for (size_t i = 0; i < document_.nodes.size(); ++i) EDGETWIN_TRY(take_node(i));
  for (const ValueInfo& v : in_order(document_.outputs, document_.test_outputs)) {
    const auto found = values_.find(v.name);
    if (found == values_.end()) {
      return Error(ErrorCode::espdl_reference, "the output '" + v.name + "' is made by no operator")
          .in_file(file_);
    }
    graph_.outputs.push_back(found->second);
  }
  Model model;
  model.format = "espdl";
  model.description = document_.doc_string;
  for (const Property& p : document_.metadata) {
    model.metadata.push_back({p.key, to_bytes(as_byte_span(p.value))});
  }
  model.findings = std::move(findings_);
  Status verified = verify_graph(graph_);
  if (!verified.ok()) return std::move(verified).error().in_file(file_);
  model.graphs.push_back(std::move(graph_));
  return model;
}

Result<Model> lower(const Document& document, Target target, const std::string& file) {
  return Lowering(document, target, file).run();
}

}  // namespace edgetwin::espdl

// What all operators need while they are written down.
#include "formats/espdl/export/exporter.h"

#include <cstring>

namespace edgetwin::espdl {
namespace {

Attribute attribute(std::string_view name, AttributeType type) {
  Attribute a;
  a.name = name;
  a.type = type;
  return a;
}

}  // namespace

void Exporter::Building::set(std::string_view name, int64_t number) {
  node.attributes.push_back(attribute(name, AttributeType::int_value));
  node.attributes.back().i = number;
}

void Exporter::Building::set(std::string_view name, float number) {
  node.attributes.push_back(attribute(name, AttributeType::float_value));
  node.attributes.back().f = number;
}

void Exporter::Building::set(std::string_view name, std::string_view text) {
  node.attributes.push_back(attribute(name, AttributeType::string));
  node.attributes.back().s = text;
}

void Exporter::Building::set(std::string_view name, std::vector<int64_t> numbers) {
  node.attributes.push_back(attribute(name, AttributeType::ints));
  node.attributes.back().ints = std::move(numbers);
}

const Value& Exporter::operand(const Building& b, size_t i) const {
  return graph_.value(b.op.inputs[i]);
}

void Exporter::refuse(const Building& b, const std::string& why) {
  refusals_.push_back(b.label + ": " + why);
}

TensorData Exporter::data_of(const Value& value) const {
  TensorData t;
  t.doc_string = layout_doc({});
  t.type = code_of_dtype(value.dtype);
  t.dims.assign(value.shape.dims().begin(), value.shape.dims().end());
  t.exponents.assign(value.quant.exponent.begin(), value.quant.exponent.end());
  if (t.exponents.empty()) t.exponents = {0};
  if (value.constant != nullptr) t.data = *value.constant;
  return t;
}

void Exporter::add_initializer(Building& b, TensorData data) {
  used_names_.insert(data.name);
  initializers_.emplace(data.name, document_.initializers.size());
  b.node.inputs.push_back(data.name);
  document_.initializers.push_back(std::move(data));
}

void Exporter::add_made(Building& b, std::string_view what, TensorData data) {
  data.name = unused_name(b.node.name + "." + std::string(what));
  data.doc_string = layout_doc({});
  if (data.exponents.empty()) data.exponents = {0};
  add_initializer(b, std::move(data));
}

void Exporter::add_constant(Building& b, ValueId id, TensorData data) {
  data.name = name(id);
  // With several users it is one initializer, unless they store it differently.
  const auto known = initializers_.find(data.name);
  if (known == initializers_.end()) return add_initializer(b, std::move(data));
  if (document_.initializers[known->second] == data) {
    b.node.inputs.push_back(data.name);
    return;
  }
  data.name = unused_name(data.name);
  add_initializer(b, std::move(data));
}

void Exporter::add_integers(Building& b, std::string_view what,
                            const std::vector<int64_t>& numbers) {
  TensorData t;
  t.type = DataType::int64;
  t.dims = {static_cast<int64_t>(numbers.size())};
  t.data.resize(numbers.size() * sizeof(int64_t));
  if (!numbers.empty()) std::memcpy(t.data.data(), numbers.data(), t.data.size());
  add_made(b, what, std::move(t));
}

void Exporter::take_input(Building& b, size_t i) {
  if (!b.op.has_input(i)) {
    b.node.inputs.emplace_back();
    return;
  }
  const ValueId id = b.op.inputs[i];
  const Value& value = graph_.value(id);
  if (!value.is_constant()) {
    b.node.inputs.push_back(name(id));
    return;
  }
  add_constant(b, id, data_of(value));
}

void Exporter::take_inputs(Building& b, size_t count) {
  for (size_t i = 0; i < count; ++i) take_input(b, i);
}

void Exporter::set_activation(Building& b, Activation activation) {
  if (activation != Activation::none && activation != Activation::relu) {
    refuse(b, "the runtime does not fuse " + std::string(edgetwin::name(activation)));
  }
  b.set("activation", activation == Activation::relu ? "Relu" : "Linear");
}

void Exporter::take_table(Building& b) {
  if (b.op.table == kAbsent) return;
  TensorData data = data_of(graph_.value(b.op.table));
  data.doc_string.clear();  // tables have none
  const Quant& output = graph_.value(b.op.outputs[0]).quant;
  if (!graph_.value(b.op.table).quant.present()) {
    data.exponents.assign(output.exponent.begin(), output.exponent.end());
  }
  const size_t operands = b.node.inputs.size();
  add_constant(b, b.op.table, std::move(data));
  b.set("lut", b.node.inputs.back());
  b.node.inputs.resize(operands);
  const auto origin = options_.tables.find(graph_.value(b.op.outputs[0]).name);
  if (origin == options_.tables.end() || b.op.kind != OpKind::lut) return;
  const TableOrigin& o = origin->second;
  b.set("original_op_type", o.type);
  if (o.alpha) b.set("alpha", *o.alpha);
  if (o.beta) b.set("beta", *o.beta);
  if (!o.formula.empty()) b.set("lut_formula", o.formula);
}

std::vector<int64_t> integers_of(const Value& value) {
  std::vector<int64_t> numbers;
  const bool wide = value.dtype == DType::int64;
  if (!value.is_constant() || (!wide && value.dtype != DType::int32)) return numbers;
  numbers.resize(value.constant->size() / byte_size(value.dtype));
  for (size_t i = 0; i < numbers.size(); ++i) {
    int32_t narrow = 0;
    if (wide) {
      std::memcpy(&numbers[i], value.constant->data() + i * 8, 8);
    } else {
      std::memcpy(&narrow, value.constant->data() + i * 4, 4);
      numbers[i] = narrow;
    }
  }
  return numbers;
}

std::string_view quant_type(const Graph& graph, const Op& op) {
  const auto text = [&](ValueId id) -> std::string_view {
    const DType type = id == kAbsent ? DType::float32 : graph.value(id).dtype;
    return type == DType::int8 ? "S8" : type == DType::int16 ? "S16" : "F32";
  };
  if (op.kind == OpKind::dequantize) return "F32";
  if (op.kind == OpKind::quantize) return text(op.outputs[0]);
  return text(op.inputs.empty() ? op.outputs[0] : op.inputs[0]);
}

}  // namespace edgetwin::espdl

// Values of a graph out of the tensors of a document.
#include <algorithm>
#include <cstring>

#include "formats/espdl/import/importer.h"
#include "tensor/tensor.h"

namespace edgetwin::espdl {
namespace {

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

ValueId Importer::add_value(Value v) {
  graph_.values.push_back(std::move(v));
  return static_cast<ValueId>(graph_.values.size() - 1);
}

Result<ValueId> Importer::add_variable(const std::string& where, const std::string& name) {
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

Result<ValueId> Importer::value(const Building& b, const std::string& name) {
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

const TensorData* Importer::constant(const Building& b, size_t i) const {
  if (i >= b.node.inputs.size()) return nullptr;
  const auto found = initializers_.find(b.node.inputs[i]);
  return found == initializers_.end() ? nullptr : found->second;
}

Result<std::optional<std::vector<int64_t>>> Importer::integers(const Building& b, size_t i,
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

Result<Shape> Importer::declared_shape(const Building& b, size_t i) const {
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

ValueId Importer::add_constant(const Building& b, const char* what, DType dtype, Shape shape,
                               Bytes data, Quant quant) {
  Value v;
  v.name = (b.node.name.empty() ? b.node.op_type : b.node.name) + "." + what;
  v.dtype = dtype;
  v.shape = shape;
  v.quant = std::move(quant);
  v.constant = std::make_shared<const Bytes>(std::move(data));
  return add_value(std::move(v));
}

ValueId Importer::add_integers(const Building& b, const char* what,
                               const std::vector<int64_t>& numbers) {
  Bytes data(numbers.size() * sizeof(int64_t));
  if (!numbers.empty()) std::memcpy(data.data(), numbers.data(), data.size());
  return add_constant(b, what, DType::int64, {static_cast<int64_t>(numbers.size())},
                      std::move(data));
}

}  // namespace edgetwin::espdl

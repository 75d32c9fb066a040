#include "formats/espdl/document/document.h"

#include <algorithm>
#include <array>

namespace edgetwin::espdl {
namespace {

struct TypeRow {
  DataType code;
  std::string_view name;
  std::optional<DType> dtype;
};

constexpr std::array<TypeRow, 14> kTypes = {{
    {DataType::undefined, "UNDEFINED", std::nullopt},
    {DataType::float32, "FLOAT", DType::float32},
    {DataType::uint8, "UINT8", DType::uint8},
    {DataType::int8, "INT8", DType::int8},
    {DataType::uint16, "UINT16", DType::uint16},
    {DataType::int16, "INT16", DType::int16},
    {DataType::int32, "INT32", DType::int32},
    {DataType::int64, "INT64", DType::int64},
    {DataType::string, "STRING", std::nullopt},
    {DataType::boolean, "BOOL", DType::boolean},
    {DataType::float16, "FLOAT16", DType::float16},
    {DataType::float64, "DOUBLE", DType::float64},
    {DataType::uint32, "UINT32", DType::uint32},
    {DataType::uint64, "UINT64", DType::uint64},
}};

template <class T>
const T* find_by_name(const std::vector<T>& rows, std::string_view name) {
  const auto row =
      std::find_if(rows.begin(), rows.end(), [&](const T& r) { return r.name == name; });
  return row == rows.end() ? nullptr : &*row;
}

}  // namespace

std::optional<DType> dtype_of_code(DataType type) {
  for (const TypeRow& row : kTypes) {
    if (row.code == type) return row.dtype;
  }
  return std::nullopt;
}

DataType code_of_dtype(DType type) {
  for (const TypeRow& row : kTypes) {
    if (row.dtype == type) return row.code;
  }
  return DataType::undefined;
}

std::string_view name(DataType type) {
  for (const TypeRow& row : kTypes) {
    if (row.code == type) return row.name;
  }
  return "UNKNOWN";
}

const Attribute* Node::find(std::string_view attribute) const {
  return find_by_name(attributes, attribute);
}

std::optional<int64_t> Node::integer(std::string_view attribute) const {
  const Attribute* a = find(attribute);
  if (a == nullptr || a->type != AttributeType::int_value) return std::nullopt;
  return a->i;
}

std::optional<float> Node::real(std::string_view attribute) const {
  const Attribute* a = find(attribute);
  if (a == nullptr || a->type != AttributeType::float_value) return std::nullopt;
  return a->f;
}

std::optional<std::string> Node::text(std::string_view attribute) const {
  const Attribute* a = find(attribute);
  if (a == nullptr || a->type != AttributeType::string) return std::nullopt;
  return a->s;
}

std::optional<std::vector<int64_t>> Node::integers(std::string_view attribute) const {
  const Attribute* a = find(attribute);
  if (a == nullptr || a->type != AttributeType::ints) return std::nullopt;
  return a->ints;
}

const TensorData* Document::initializer(std::string_view wanted) const {
  return find_by_name(initializers, wanted);
}

const ValueInfo* Document::value(std::string_view wanted) const {
  for (const auto* rows : {&values, &inputs, &outputs}) {
    if (const ValueInfo* row = find_by_name(*rows, wanted)) return row;
  }
  return nullptr;
}

std::optional<std::string> Document::property(std::string_view key) const {
  for (const Property& row : metadata) {
    if (row.key == key) return row.value;
  }
  return std::nullopt;
}

Container single(ModelFile model) {
  Container container;
  model.name.clear();
  container.models.push_back(std::move(model));
  return container;
}

}  // namespace edgetwin::espdl

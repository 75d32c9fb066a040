#include "train/export/document_builder.h"

namespace edgetwin::train {
namespace {

constexpr int64_t kIrVersion = 8, kOpset = 13;

template <class T>
onnx::TensorData constant_of(const std::string& name, DType type, const Shape& shape,
                             std::span<const T> values) {
  onnx::TensorData t;
  t.name = name;
  t.dtype = type;
  t.shape = shape;
  t.data = std::make_shared<const Bytes>(to_bytes(std::as_bytes(values)));
  return t;
}

}  // namespace

onnx::Attribute integers_attribute(const char* name, std::vector<int64_t> values) {
  onnx::Attribute a;
  a.name = name;
  a.kind = onnx::Attribute::Kind::integers;
  a.integers = std::move(values);
  return a;
}

onnx::Attribute integer_attribute(const char* name, int64_t value) {
  onnx::Attribute a;
  a.name = name;
  a.kind = onnx::Attribute::Kind::integer;
  a.integer = value;
  return a;
}

DocumentBuilder::DocumentBuilder(std::string name) {
  document_.ir_version = kIrVersion;
  document_.opset = kOpset;
  document_.producer = "edgetwin";
  document_.graph_name = std::move(name);
}

std::string DocumentBuilder::floats(const std::string& name, const Shape& shape,
                                    std::span<const float> values) {
  document_.initializers.push_back(constant_of(name, DType::float32, shape, values));
  return name;
}

std::string DocumentBuilder::number(const std::string& name, float value) {
  return floats(name, {}, std::span(&value, 1));
}

std::string DocumentBuilder::sizes(const std::string& name, const std::vector<int64_t>& values) {
  const Shape shape = {static_cast<int64_t>(values.size())};
  document_.initializers.push_back(
      constant_of(name, DType::int64, shape, std::span<const int64_t>(values)));
  return name;
}

std::string DocumentBuilder::node(const std::string& name, const char* type,
                                  std::vector<std::string> inputs,
                                  std::vector<onnx::Attribute> attributes) {
  onnx::Node n;
  n.index = document_.nodes.size();
  n.name = name;
  n.op_type = type;
  n.inputs = std::move(inputs);
  n.outputs = {name};
  n.attributes = std::move(attributes);
  document_.nodes.push_back(std::move(n));
  return name;
}

std::string DocumentBuilder::reshaped(const std::string& x, const std::string& name,
                                      const MapShape& shape) {
  const std::vector<int64_t> dims = {1, shape.c, shape.size.h, shape.size.w};
  return node(name, "Reshape", {x, sizes(name + "/shape", dims)});
}

std::string DocumentBuilder::clipped(const std::string& x, const std::string& name, float low,
                                     float high) {
  return node(name, "Clip", {x, number(name + "/min", low), number(name + "/max", high)});
}

}  // namespace edgetwin::train

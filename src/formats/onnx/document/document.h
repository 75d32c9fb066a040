// An ONNX model as it is in the file: nodes, names, attributes, tensors. What the message classes
// of the format's library hold, in our own types and checked.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/bytes.h"
#include "base/finding.h"
#include "base/result.h"
#include "graph/graph.h"
#include "tensor/dtype.h"
#include "tensor/shape.h"

namespace edgetwin::onnx {

// A constant. float16, bfloat16 and float64 have become float32.
struct TensorData {
  std::string name;
  DType dtype = DType::float32;
  Shape shape;
  std::shared_ptr<const Bytes> data;

  template <class T>
  std::span<const T> as() const {
    return {reinterpret_cast<const T*>(data->data()), data->size() / sizeof(T)};
  }
};

struct Attribute {
  enum class Kind : uint8_t { real, integer, text, tensor, reals, integers, texts, other };
  std::string name;
  Kind kind = Kind::other;
  float real = 0.0F;
  int64_t integer = 0;
  std::string text;
  TensorData tensor;
  std::vector<float> reals;
  std::vector<int64_t> integers;
  std::vector<std::string> texts;
};

struct Node {
  size_t index = 0;  // in the file
  std::string name, op_type, domain;
  std::vector<std::string> inputs, outputs;  // "" where an optional one is left out
  std::vector<Attribute> attributes;

  // "#3 Conv 'block1/conv'": the node in the words of the user's model.
  std::string label() const;
  const Attribute* find(std::string_view attribute, Attribute::Kind kind) const;
  std::optional<int64_t> integer(std::string_view attribute) const;
  std::optional<float> real(std::string_view attribute) const;
  std::optional<std::string> text(std::string_view attribute) const;
  std::optional<std::vector<int64_t>> integers(std::string_view attribute) const;
  bool has_input(size_t i) const { return i < inputs.size() && !inputs[i].empty(); }
};

struct ValueInfo {
  struct Dim {
    int64_t size = -1;  // -1: open
    std::string name;   // of an open one; may be empty
  };
  std::string name;
  std::optional<DType> dtype;  // nothing: not a tensor of a type that a graph can have
  bool has_shape = false;
  std::vector<Dim> dims;
};

struct Document {
  int64_t ir_version = 0;
  int64_t opset = 0;
  std::string producer, description, graph_name;
  std::vector<Node> nodes;
  std::vector<TensorData> initializers;
  std::vector<ValueInfo> inputs, outputs;
  std::vector<NamedBytes> metadata;
};

// Says nothing about the rest of the file.
bool looks_like_onnx(ByteSpan data);

// Reads a file of external data, named relative to the model. Null: models with such are refused.
using ExternalFiles = std::function<Result<Bytes>(const std::string& name)>;

// Errors: onnx_protobuf, onnx_opset, onnx_tensor, onnx_external, out_of_memory.
Result<Document> read_document(ByteSpan data, const std::string& file,
                               const ExternalFiles& external);

}  // namespace edgetwin::onnx

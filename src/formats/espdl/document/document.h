// What an .espdl file says, table by table and in the file's order: names, attributes, bytes as
// they are stored. Nothing here is interpreted: import/ turns a document into a graph, export/ a
// graph into a document, and layout.h knows the order of weights. Source: docs/formats/espdl.md.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/bytes.h"
#include "base/finding.h"
#include "tensor/dtype.h"

namespace edgetwin::espdl {

// TensorDataType of the schema; the numbers are those of ONNX.
enum class DataType : int32_t {
  undefined = 0,
  float32 = 1,
  uint8 = 2,
  int8 = 3,
  uint16 = 4,
  int16 = 5,
  int32 = 6,
  int64 = 7,
  string = 8,
  boolean = 9,
  float16 = 10,
  float64 = 11,
  uint32 = 12,
  uint64 = 13,
};
// Nothing for undefined, string and numbers that the schema does not have.
std::optional<DType> dtype_of_code(DataType type);
DataType code_of_dtype(DType type);
std::string_view name(DataType type);  // "INT8", as the .info file writes it

struct TensorData {
  std::string name;
  std::string doc_string;  // "layout ==> (N/16)HWC16" of a parameter
  DataType type = DataType::undefined;
  std::vector<int64_t> dims;       // empty: one element
  std::vector<int64_t> exponents;  // one, or one per output channel; may be empty
  Bytes data;                      // the elements, without the padding of the file
  bool operator==(const TensorData&) const = default;
};

enum class AttributeType : int32_t {
  undefined = 0,
  float_value = 1,
  int_value = 2,
  string = 3,
  tensor = 4,
  graph = 5,
  floats = 6,
  ints = 7,
  strings = 8,
  tensors = 9,
  graphs = 10,
  type = 11,
  types = 12,
};

struct Attribute {
  std::string name;
  std::string doc_string;
  AttributeType type = AttributeType::undefined;
  float f = 0.0F;
  int64_t i = 0;
  std::string s;  // bytes
  std::vector<float> floats;
  std::vector<int64_t> ints;
  std::vector<std::string> strings;
  std::vector<TensorData> tensors;  // one for AttributeType::tensor
  bool operator==(const Attribute&) const = default;
};

struct Node {
  std::string name;
  std::string op_type;
  std::string domain;
  std::string doc_string;
  std::vector<std::string> inputs;  // "" where an optional one is absent
  std::vector<std::string> outputs;
  std::vector<Attribute> attributes;
  bool operator==(const Node&) const = default;

  const Attribute* find(std::string_view attribute) const;  // null if absent
  // The attribute's value if it is there and of this type.
  std::optional<int64_t> integer(std::string_view attribute) const;
  std::optional<float> real(std::string_view attribute) const;
  std::optional<std::string> text(std::string_view attribute) const;
  std::optional<std::vector<int64_t>> integers(std::string_view attribute) const;
};

struct ValueInfo {
  std::string name;
  std::string doc_string;
  DataType type = DataType::undefined;
  bool has_shape = false;
  std::vector<int64_t> shape;  // -1: a dimension without a number
  std::vector<int64_t> exponents;
  bool operator==(const ValueInfo&) const = default;
};

struct Property {
  std::string key, value;
  bool operator==(const Property&) const = default;
};

struct OperatorSet {
  std::string domain;
  int64_t version = 0;
  bool operator==(const OperatorSet&) const = default;
};

// One model.
struct Document {
  int32_t ir_version = 0;
  int64_t model_version = 0;
  std::string producer_name, producer_version, domain, doc_string;
  std::vector<OperatorSet> opset_import;
  std::vector<Property> metadata;

  std::string graph_name, graph_doc_string;
  std::vector<Node> nodes;
  std::vector<TensorData> initializers;
  std::vector<ValueInfo> inputs, outputs, values;  // values: value_info, inputs and outputs too
  std::vector<TensorData> test_inputs, test_outputs;
  bool operator==(const Document&) const = default;

  const TensorData* initializer(std::string_view name) const;  // null if there is none
  const ValueInfo* value(std::string_view name) const;
  std::optional<std::string> property(std::string_view key) const;
};

// Where a document came from.
struct ModelFile {
  std::string name;        // in a package: the stored file name; else ""
  int edl_version = 2;     // 1 or 2: magic EDL1 or EDL2
  bool encrypted = false;  // in the file; `document` is there only if a key opened it
  Document document;
  std::vector<Finding> findings;  // what the reader has to say; no part of the content

  bool operator==(const ModelFile& other) const {
    return name == other.name && edl_version == other.edl_version && encrypted == other.encrypted &&
           document == other.document;
  }
};

// An .espdl file: one model, or a package of several.
struct Container {
  int package_version = 0;   // 0: a single model; else 1 to 3: magic PDL1 to PDL3
  std::string version_text;  // of PDL3
  std::vector<ModelFile> models;
  std::vector<Finding> findings;  // about the package itself

  bool operator==(const Container& other) const {
    return package_version == other.package_version && version_text == other.version_text &&
           models == other.models;
  }
};

// One model alone in a file; its name is not written.
Container single(ModelFile model);

}  // namespace edgetwin::espdl

#include <algorithm>
#include <limits>

#include "espdl_generated.h"
#include "formats/espdl/document/labels.h"
#include "formats/espdl/document/limits.h"
#include "formats/espdl/write/writer.h"
#include "tensor/shape.h"

namespace edgetwin::espdl {
namespace {

using flatbuffers::Offset;
using flatbuffers::String;
template <class T>
using Rows = std::vector<Offset<T>>;
template <class T>
using TableRows = Offset<flatbuffers::Vector<Offset<T>>>;

constexpr size_t kModelBlock = 16;
// What a FlatBuffer may be, less a generous share for everything that is not content.
constexpr uint64_t kMaxContent = (uint64_t{1} << 31) - (uint64_t{256} << 20);

Error cannot_write(std::string message, std::string field) {
  return Error(ErrorCode::espdl_write, std::move(message)).in_field(std::move(field));
}

// What an attribute of some type refers to; the rest stays absent.
struct AttributeParts {
  Offset<flatbuffers::Vector<uint8_t>> s = 0;
  Offset<schema::Tensor> t = 0;
  Offset<flatbuffers::Vector<float>> floats = 0;
  Offset<flatbuffers::Vector<int64_t>> ints = 0;
  Offset<flatbuffers::Vector<Offset<String>>> strings = 0;
  TableRows<schema::Tensor> tensors = 0;
};

class Writer {
 public:
  Result<Bytes> write(const Document& document);

 private:
  // Readers ask for names without asking whether they are there, so an empty one is written; other
  // texts are absent if empty.
  Offset<String> name(const std::string& text) { return builder_.CreateString(text); }
  Offset<String> text(const std::string& text) {
    return text.empty() ? 0 : builder_.CreateString(text);
  }
  Offset<flatbuffers::Vector<Offset<String>>> names(const std::vector<std::string>& texts) {
    return builder_.CreateVectorOfStrings(texts);
  }

  Result<Offset<schema::Graph>> write_graph(const Document& document);
  Result<Offset<schema::Node>> write_node(const Node& node);
  Result<AttributeParts> write_parts(const Attribute& attribute, const std::string& label);
  Result<Offset<schema::Attribute>> write_attribute(const Attribute& attribute,
                                                    const std::string& label);
  Result<Offset<schema::Tensor>> write_tensor(const TensorData& tensor, const std::string& list);
  Result<Offset<schema::ValueInfo>> write_value(const ValueInfo& value, const std::string& list);
  Offset<schema::TypeInfo> write_type(const ValueInfo& value);
  Offset<flatbuffers::Vector<const schema::AlignedBytes*>> write_elements(ByteSpan data);
  TableRows<schema::OperatorSetId> write_opsets(const Document& document);
  TableRows<schema::StringStringEntry> write_metadata(const Document& document);

  // Whether so many bytes more still fit. The library itself would end the program.
  Status check_room(uint64_t bytes, const std::string& label) const {
    if (builder_.GetSize() + bytes <= kMaxContent) return Ok{};
    return cannot_write("more than " + std::to_string(kMaxContent) + " bytes of content", label);
  }

  // Writes each item with `write(item)`, then the vector of them.
  template <class T, class Items, class Write>
  Result<TableRows<T>> rows(const Items& items, Write write) {
    Rows<T> offsets;
    for (const auto& item : items) {
      EDGETWIN_TRY(check_room(0, "Model"));
      EDGETWIN_TRY_ASSIGN(const Offset<T> offset, write(item));
      offsets.push_back(offset);
    }
    return builder_.CreateVector(offsets);
  }
  Result<TableRows<schema::Tensor>> tensors(const std::vector<TensorData>& items,
                                            const std::string& list) {
    return rows<schema::Tensor>(items, [&](const TensorData& t) { return write_tensor(t, list); });
  }
  Result<TableRows<schema::ValueInfo>> values(const std::vector<ValueInfo>& items,
                                              const std::string& list) {
    return rows<schema::ValueInfo>(items, [&](const ValueInfo& v) { return write_value(v, list); });
  }

  flatbuffers::FlatBufferBuilder builder_;
};

// Blocks of 16 bytes, the first at a multiple of 16; zeros fill up the last. The buffer grows
// downwards, so the end comes first.
Offset<flatbuffers::Vector<const schema::AlignedBytes*>> Writer::write_elements(ByteSpan data) {
  static_assert(sizeof(schema::AlignedBytes) == kModelBlock);
  const size_t blocks = (data.size() + kModelBlock - 1) / kModelBlock;
  builder_.StartVector(blocks, kModelBlock);
  builder_.Pad(blocks * kModelBlock - data.size());
  if (!data.empty()) {
    builder_.PushBytes(reinterpret_cast<const uint8_t*>(data.data()), data.size());
  }
  return Offset<flatbuffers::Vector<const schema::AlignedBytes*>>(builder_.EndVector(blocks));
}

Result<Offset<schema::Tensor>> Writer::write_tensor(const TensorData& tensor,
                                                    const std::string& list) {
  const std::string label = quoted(list, tensor.name);
  const auto dtype = dtype_of_code(tensor.type);
  if (!dtype)
    return cannot_write("elements of type " + std::string(espdl::name(tensor.type)), label);
  const auto limit = static_cast<int64_t>(kMaxTensorBytes / byte_size(*dtype));
  const auto elements =
      tensor.dims.size() > kMaxRank ? std::nullopt : checked_elements(tensor.dims, limit);
  if (!elements) {
    return cannot_write("a shape with a negative size, more than " + std::to_string(kMaxRank) +
                            " dimensions or more than " + std::to_string(limit) + " elements",
                        label);
  }
  const size_t size = static_cast<size_t>(*elements) * byte_size(*dtype);
  if (size != tensor.data.size()) {
    return cannot_write("its shape asks for " + std::to_string(size) + " bytes, it has " +
                            std::to_string(tensor.data.size()),
                        label);
  }
  EDGETWIN_TRY(check_room(size, label));
  const auto raw = write_elements(tensor.data);
  const auto dims = builder_.CreateVector(tensor.dims);
  const auto exponents = builder_.CreateVector(tensor.exponents);
  const auto tensor_name = name(tensor.name);
  const auto doc = text(tensor.doc_string);
  schema::TensorBuilder to(builder_);
  to.add_dims(dims);
  to.add_data_type(static_cast<schema::TensorDataType>(tensor.type));
  to.add_name(tensor_name);
  to.add_doc_string(doc);
  to.add_raw_data(raw);
  to.add_exponents(exponents);
  return to.Finish();
}

Result<AttributeParts> Writer::write_parts(const Attribute& a, const std::string& label) {
  AttributeParts parts;
  switch (a.type) {
    case AttributeType::undefined:
    case AttributeType::float_value:
    case AttributeType::int_value:
      break;
    case AttributeType::string:
      parts.s = builder_.CreateVector(reinterpret_cast<const uint8_t*>(a.s.data()), a.s.size());
      break;
    case AttributeType::tensor: {
      if (a.tensors.size() != 1) {
        return cannot_write(std::to_string(a.tensors.size()) + " tensors instead of one", label);
      }
      EDGETWIN_TRY_ASSIGN(parts.t, write_tensor(a.tensors.front(), label));
      break;
    }
    case AttributeType::floats:
      parts.floats = builder_.CreateVector(a.floats);
      break;
    case AttributeType::ints:
      parts.ints = builder_.CreateVector(a.ints);
      break;
    case AttributeType::strings:
      parts.strings = names(a.strings);
      break;
    case AttributeType::tensors: {
      EDGETWIN_TRY_ASSIGN(parts.tensors, tensors(a.tensors, label));
      break;
    }
    default:
      return cannot_write("type " + std::to_string(static_cast<int>(a.type)), label);
  }
  return parts;
}

Result<Offset<schema::Attribute>> Writer::write_attribute(const Attribute& a,
                                                          const std::string& node) {
  EDGETWIN_TRY_ASSIGN(const AttributeParts parts,
                      write_parts(a, quoted(node + " attribute", a.name)));
  const auto attribute_name = name(a.name);
  const auto doc = text(a.doc_string);
  const schema::AttributeF f(a.f);
  const schema::AttributeI i(a.i);
  schema::AttributeBuilder to(builder_);
  to.add_name(attribute_name);
  to.add_doc_string(doc);
  to.add_attr_type(static_cast<schema::AttributeType>(a.type));
  if (a.type == AttributeType::float_value) to.add_f(&f);
  if (a.type == AttributeType::int_value) to.add_i(&i);
  to.add_s(parts.s);
  to.add_t(parts.t);
  to.add_floats(parts.floats);
  to.add_ints(parts.ints);
  to.add_strings(parts.strings);
  to.add_tensors(parts.tensors);
  return to.Finish();
}

Result<Offset<schema::Node>> Writer::write_node(const Node& node) {
  const std::string label = quoted(node.op_type.substr(0, 64), node.name);
  EDGETWIN_TRY_ASSIGN(const auto attributes,
                      rows<schema::Attribute>(node.attributes, [&](const Attribute& a) {
                        return write_attribute(a, label);
                      }));
  const auto inputs = names(node.inputs);
  const auto outputs = names(node.outputs);
  const auto node_name = name(node.name);
  const auto op_type = name(node.op_type);
  const auto domain = text(node.domain);
  const auto doc = text(node.doc_string);
  return schema::CreateNode(builder_, inputs, outputs, node_name, op_type, domain, attributes, doc);
}

Offset<schema::TypeInfo> Writer::write_type(const ValueInfo& value) {
  if (value.type == DataType::undefined && !value.has_shape) return 0;
  Offset<schema::TensorShape> shape = 0;
  if (value.has_shape) {
    Rows<schema::Dimension> dims;
    for (const int64_t dim : value.shape) {
      const auto kind =
          dim < 0 ? schema::DimensionValueType::UNKNOWN : schema::DimensionValueType::VALUE;
      const auto size = schema::CreateDimensionValue(builder_, kind, std::max<int64_t>(dim, 0));
      dims.push_back(schema::CreateDimension(builder_, size));
    }
    shape = schema::CreateTensorShape(builder_, builder_.CreateVector(dims));
  }
  const auto type = schema::CreateTensorTypeAndShape(
      builder_, static_cast<schema::TensorDataType>(value.type), shape);
  return schema::CreateTypeInfo(builder_, schema::TypeInfoValue::tensor_type, type.Union());
}

Result<Offset<schema::ValueInfo>> Writer::write_value(const ValueInfo& value,
                                                      const std::string& list) {
  const bool bad_type = value.type < DataType::undefined || value.type > DataType::uint64;
  const bool bad_shape =
      value.shape.size() > kMaxRank || (!value.has_shape && !value.shape.empty()) ||
      std::any_of(value.shape.begin(), value.shape.end(), [](int64_t d) { return d < -1; });
  if (bad_type || bad_shape) {
    return cannot_write("an element type or a shape that a value cannot have",
                        quoted(list, value.name));
  }
  const auto type = write_type(value);
  const auto exponents = builder_.CreateVector(value.exponents);
  const auto value_name = name(value.name);
  const auto doc = text(value.doc_string);
  return schema::CreateValueInfo(builder_, value_name, type, doc, exponents);
}

Result<Offset<schema::Graph>> Writer::write_graph(const Document& d) {
  EDGETWIN_TRY_ASSIGN(const auto initializers, tensors(d.initializers, "Graph.initializer"));
  EDGETWIN_TRY_ASSIGN(const auto test_inputs, tensors(d.test_inputs, "Graph.test_inputs_value"));
  EDGETWIN_TRY_ASSIGN(const auto test_outputs, tensors(d.test_outputs, "Graph.test_outputs_value"));
  EDGETWIN_TRY_ASSIGN(const auto nodes, rows<schema::Node>(d.nodes, [&](const Node& node) {
                        return write_node(node);
                      }));
  EDGETWIN_TRY_ASSIGN(const auto inputs, values(d.inputs, "Graph.input"));
  EDGETWIN_TRY_ASSIGN(const auto outputs, values(d.outputs, "Graph.output"));
  EDGETWIN_TRY_ASSIGN(const auto infos, values(d.values, "Graph.value_info"));
  const auto graph_name = name(d.graph_name);
  const auto doc = text(d.graph_doc_string);
  schema::GraphBuilder to(builder_);
  to.add_node(nodes);
  to.add_name(graph_name);
  to.add_initializer(initializers);
  to.add_doc_string(doc);
  to.add_input(inputs);
  to.add_output(outputs);
  to.add_value_info(infos);
  to.add_test_inputs_value(test_inputs);
  to.add_test_outputs_value(test_outputs);
  return to.Finish();
}

TableRows<schema::OperatorSetId> Writer::write_opsets(const Document& d) {
  Rows<schema::OperatorSetId> sets;
  for (const OperatorSet& set : d.opset_import) {
    sets.push_back(schema::CreateOperatorSetId(builder_, name(set.domain), set.version));
  }
  return builder_.CreateVector(sets);
}

TableRows<schema::StringStringEntry> Writer::write_metadata(const Document& d) {
  if (d.metadata.empty()) return 0;
  Rows<schema::StringStringEntry> entries;
  for (const Property& p : d.metadata) {
    const auto key = name(p.key);
    const auto value = name(p.value);
    entries.push_back(schema::CreateStringStringEntry(builder_, key, value));
  }
  return builder_.CreateVector(entries);
}

Result<Bytes> Writer::write(const Document& d) {
  EDGETWIN_TRY_ASSIGN(const auto graph, write_graph(d));
  const auto opsets = write_opsets(d);
  const auto metadata = write_metadata(d);
  const auto producer = text(d.producer_name);
  const auto producer_version = text(d.producer_version);
  const auto domain = text(d.domain);
  const auto doc = text(d.doc_string);
  schema::ModelBuilder to(builder_);
  to.add_ir_version(d.ir_version);
  to.add_opset_import(opsets);
  to.add_producer_name(producer);
  to.add_producer_version(producer_version);
  to.add_domain(domain);
  to.add_model_version(d.model_version);
  to.add_doc_string(doc);
  to.add_graph(graph);
  to.add_metadata_props(metadata);
  schema::FinishModelBuffer(builder_, to.Finish());
  return to_bytes(std::as_bytes(std::span(builder_.GetBufferPointer(), builder_.GetSize())));
}

}  // namespace

Result<Bytes> write_document(const Document& document) { return Writer().write(document); }

}  // namespace edgetwin::espdl

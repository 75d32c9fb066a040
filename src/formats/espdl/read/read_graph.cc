#include "espdl_generated.h"
#include "formats/espdl/read/reader.h"
#include "formats/flatbuffer/fields.h"

namespace edgetwin::espdl {
namespace {

// A size, or -1 where the file has a name or nothing instead of a number.
Result<int64_t> read_dimension(Source& source, const schema::Dimension& table,
                               const std::string& label) {
  const schema::DimensionValue* value = table.value();
  if (value == nullptr) return int64_t{-1};
  switch (value->dim_type()) {
    case schema::DimensionValueType::UNKNOWN:
      return int64_t{-1};
    case schema::DimensionValueType::PARAM:
      source.find(Severity::note, label, "the name of a size is not kept");
      return int64_t{-1};
    case schema::DimensionValueType::VALUE:
      break;
    default:
      return source.error(ErrorCode::bad_value,
                          "kind of size " + std::to_string(static_cast<int>(value->dim_type())),
                          value, label + " DimensionValue.dim_type");
  }
  if (value->dim_value() >= -1) return value->dim_value();
  return source.error(ErrorCode::bad_value, "size " + std::to_string(value->dim_value()), value,
                      label + " DimensionValue.dim_value");
}

Status read_type(Source& source, const schema::TypeInfo& table, const std::string& label,
                 ValueInfo& value) {
  const schema::TensorTypeAndShape* type = table.value_as_tensor_type();
  if (type == nullptr) {
    if (table.value_type() == schema::TypeInfoValue::NONE) return Ok{};
    return source.error(ErrorCode::espdl_content,
                        "type of kind " + std::to_string(static_cast<int>(table.value_type())) +
                            "; only tensors are read",
                        &table, label + " TypeInfo.value_type");
  }
  value.type = static_cast<DataType>(type->elem_type());
  if (value.type < DataType::undefined || value.type > DataType::uint64) {
    return source.error(ErrorCode::bad_value,
                        "element type " + std::to_string(static_cast<int>(value.type)), type,
                        label + " TensorTypeAndShape.elem_type");
  }
  if (type->shape() == nullptr) return Ok{};
  value.has_shape = true;
  const auto* dims = type->shape()->dim();
  if (dims != nullptr && dims->size() > kMaxRank) {
    return source.error(ErrorCode::espdl_content,
                        std::to_string(dims->size()) + " dimensions, at most " +
                            std::to_string(kMaxRank) + " are read",
                        dims, label + " TensorShape.dim");
  }
  EDGETWIN_TRY_ASSIGN(value.shape,
                      flatbuffer::read_tables<int64_t>(source, dims, "TensorShape.dim",
                                                       [&](const schema::Dimension& dim) {
                                                         return read_dimension(source, dim, label);
                                                       }));
  return Ok{};
}

Result<Node> read_node(Source& source, const schema::Node& table) {
  Node node;
  EDGETWIN_TRY_ASSIGN(node.name, flatbuffer::read_text(source, table.name(), "Node.name"));
  EDGETWIN_TRY_ASSIGN(node.op_type, flatbuffer::read_text(source, table.op_type(), "Node.op_type"));
  EDGETWIN_TRY_ASSIGN(node.domain, flatbuffer::read_text(source, table.domain(), "Node.domain"));
  EDGETWIN_TRY_ASSIGN(node.doc_string,
                      flatbuffer::read_text(source, table.doc_string(), "Node.doc_string"));
  EDGETWIN_TRY_ASSIGN(node.inputs, flatbuffer::read_texts(source, table.input(), "Node.input"));
  EDGETWIN_TRY_ASSIGN(node.outputs, flatbuffer::read_texts(source, table.output(), "Node.output"));
  const std::string label = quoted(node.op_type.substr(0, 64), node.name);
  EDGETWIN_TRY_ASSIGN(node.attributes, flatbuffer::read_tables<Attribute>(
                                           source, table.attribute(), "Node.attribute",
                                           [&](const schema::Attribute& attribute) {
                                             return read_attribute(source, attribute, label);
                                           }));
  return node;
}

using ValueRows = flatbuffers::Vector<flatbuffers::Offset<schema::ValueInfo>>;
using TensorRows = flatbuffers::Vector<flatbuffers::Offset<schema::Tensor>>;

Result<std::vector<ValueInfo>> read_values(Source& source, const ValueRows* rows,
                                           const std::string& list) {
  return flatbuffer::read_tables<ValueInfo>(source, rows, list, [&](const schema::ValueInfo& row) {
    return read_value(source, row, list);
  });
}

Result<std::vector<TensorData>> read_tensors(Source& source, const TensorRows* rows,
                                             const std::string& list) {
  return flatbuffer::read_tables<TensorData>(source, rows, list, [&](const schema::Tensor& row) {
    return read_tensor(source, row, list);
  });
}

}  // namespace

Result<ValueInfo> read_value(Source& source, const schema::ValueInfo& table,
                             const std::string& list) {
  ValueInfo value;
  EDGETWIN_TRY_ASSIGN(value.name, flatbuffer::read_text(source, table.name(), "ValueInfo.name"));
  const std::string label = quoted(list, value.name);
  EDGETWIN_TRY_ASSIGN(value.doc_string,
                      flatbuffer::read_text(source, table.doc_string(), "ValueInfo.doc_string"));
  EDGETWIN_TRY_ASSIGN(value.exponents, flatbuffer::read_numbers<int64_t>(source, table.exponents(),
                                                                         "ValueInfo.exponents"));
  if (table.value_info_type() != nullptr) {
    EDGETWIN_TRY(read_type(source, *table.value_info_type(), label, value));
  }
  return value;
}

Status read_graph(Source& source, const schema::Graph& table, Document& d) {
  EDGETWIN_TRY_ASSIGN(d.graph_name, flatbuffer::read_text(source, table.name(), "Graph.name"));
  EDGETWIN_TRY_ASSIGN(d.graph_doc_string,
                      flatbuffer::read_text(source, table.doc_string(), "Graph.doc_string"));
  EDGETWIN_TRY_ASSIGN(d.nodes, flatbuffer::read_tables<Node>(source, table.node(), "Graph.node",
                                                             [&](const schema::Node& node) {
                                                               return read_node(source, node);
                                                             }));
  EDGETWIN_TRY_ASSIGN(d.initializers,
                      read_tensors(source, table.initializer(), "Graph.initializer"));
  EDGETWIN_TRY_ASSIGN(d.inputs, read_values(source, table.input(), "Graph.input"));
  EDGETWIN_TRY_ASSIGN(d.outputs, read_values(source, table.output(), "Graph.output"));
  EDGETWIN_TRY_ASSIGN(d.values, read_values(source, table.value_info(), "Graph.value_info"));
  EDGETWIN_TRY_ASSIGN(d.test_inputs,
                      read_tensors(source, table.test_inputs_value(), "Graph.test_inputs_value"));
  EDGETWIN_TRY_ASSIGN(d.test_outputs,
                      read_tensors(source, table.test_outputs_value(), "Graph.test_outputs_value"));
  const auto* annotations = table.quantization_annotation();
  if (annotations != nullptr && annotations->size() != 0) {
    source.find(Severity::note, "Graph.quantization_annotation", "annotations are not kept");
  }
  return Ok{};
}

}  // namespace edgetwin::espdl

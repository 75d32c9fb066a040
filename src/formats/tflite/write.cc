#include <algorithm>
#include <limits>
#include <map>
#include <tuple>

#include "formats/tflite/codes.h"
#include "formats/tflite/tflite.h"
#include "formats/tflite/writer.h"
#include "tflite_generated.h"

namespace edgetwin::tflite {
namespace {

using flatbuffers::Offset;
template <class T>
using Offsets = std::vector<Offset<T>>;

constexpr uint32_t kWrittenVersion = 3;
constexpr size_t kBufferAlignment = 64;  // a cache line, so that weights can be used in place
// What a FlatBuffer may be, less a generous share for everything that is not content.
constexpr uint64_t kMaxContent = (uint64_t{1} << 31) - (uint64_t{256} << 20);

Error cannot(const std::string& what, const std::string& field) {
  return Error(ErrorCode::tflite_write, what).in_field(field);
}

using Content = flatbuffers::Vector<uint8_t>;

// Written so that it starts at a multiple of kBufferAlignment in the file. (The library's own
// ForceVectorAlignment stops at 32.)
Offset<Content> write_aligned(flatbuffers::FlatBufferBuilder& builder, ByteSpan content) {
  builder.PreAlign(content.size(), kBufferAlignment);
  return builder.CreateVector(reinterpret_cast<const uint8_t*>(content.data()), content.size());
}

class Writer {
 public:
  Result<Bytes> write(const Model& model);

 private:
  Status write_graph(const Graph& graph, size_t index);
  Result<Offset<schema::Tensor>> write_tensor(const Value& value, const std::string& label);
  Result<Offset<schema::Operator>> write_op(const Graph& graph, size_t index);
  Result<Offset<schema::Quantization>> write_quant(const Quant& quant, const std::string& label);
  Result<uint32_t> code_index(const Op& op, const std::string& label);
  Result<uint32_t> add_buffer(ByteSpan content);
  Result<uint32_t> buffer_of(const Value& value);
  Status write_metadata(const Model& model);
  Status write_signatures(const Model& model);
  Offset<flatbuffers::Vector<Offset<schema::TensorMap>>> write_bindings(
      const std::vector<Signature::Binding>& bindings);
  Offset<flatbuffers::Vector<Offset<schema::OperatorCode>>> write_codes();
  Bytes finish(const std::string& description);

  using CodeKey = std::tuple<int, std::string, int>;  // builtin code, custom name, version

  flatbuffers::FlatBufferBuilder builder_;
  Offsets<schema::Buffer> buffers_;
  Offsets<schema::SubGraph> graphs_;
  Offsets<schema::Metadata> metadata_;
  Offsets<schema::SignatureDef> signatures_;
  std::vector<CodeKey> codes_;  // in order of first use
  std::map<CodeKey, uint32_t> code_index_;
  std::map<const Bytes*, uint32_t> buffer_index_;  // looked up only, so that order is the graph's
  uint64_t content_ = 0;
};

Result<uint32_t> Writer::add_buffer(ByteSpan content) {
  content_ += content.size();
  if (content_ > kMaxContent) {
    return cannot("more than " + std::to_string(kMaxContent) + " bytes of content", "buffers");
  }
  const auto data = write_aligned(builder_, content);
  buffers_.push_back(schema::CreateBuffer(builder_, data));
  return static_cast<uint32_t>(buffers_.size() - 1);
}

Result<uint32_t> Writer::buffer_of(const Value& value) {
  if (!value.is_constant() || value.constant->empty()) return uint32_t{0};
  const auto known = buffer_index_.find(value.constant.get());
  if (known != buffer_index_.end()) return known->second;
  EDGETWIN_TRY_ASSIGN(const uint32_t index, add_buffer(*value.constant));
  buffer_index_.emplace(value.constant.get(), index);
  return index;
}

Result<Offset<schema::Quantization>> Writer::write_quant(const Quant& quant,
                                                         const std::string& label) {
  if (!quant.present()) return Offset<schema::Quantization>();
  if (quant.scheme != Quant::Scheme::affine) {
    return cannot("a quantization by powers of two; a file has scales", label);
  }
  return schema::CreateQuantizationDirect(builder_, nullptr, nullptr, &quant.scale,
                                          &quant.zero_point, schema::QuantizationDetails::NONE, 0,
                                          quant.per_channel() ? quant.axis : 0);
}

Result<Offset<schema::Tensor>> Writer::write_tensor(const Value& value, const std::string& label) {
  if (value.is_variable && value.is_constant()) {
    return cannot("a variable that starts with content", label);
  }
  std::vector<int32_t> dims;
  std::vector<int32_t> signature;  // also says which sizes are not known
  for (const int64_t dim : value.shape.dims()) {
    if (dim > std::numeric_limits<int32_t>::max()) {
      return cannot("size " + std::to_string(dim) + " does not fit 32 bits", label);
    }
    dims.push_back(dim < 0 ? 1 : static_cast<int32_t>(dim));
    signature.push_back(dim < 0 ? -1 : static_cast<int32_t>(dim));
  }
  EDGETWIN_TRY_ASSIGN(const uint32_t buffer, buffer_of(value));
  EDGETWIN_TRY_ASSIGN(const auto quant, write_quant(value.quant, label));
  const auto shape = value.has_shape ? builder_.CreateVector(dims) : 0;
  const auto shape_signature = value.shape.is_static() ? 0 : builder_.CreateVector(signature);
  const auto name = builder_.CreateString(value.name);
  schema::TensorBuilder to(builder_);
  to.add_shape(shape);
  to.add_type(static_cast<schema::TensorType>(code_of(value.dtype)));
  to.add_buffer(buffer);
  to.add_name(name);
  to.add_quantization(quant);
  to.add_is_variable(value.is_variable);
  to.add_shape_signature(shape_signature);
  to.add_has_rank(value.has_shape);
  return to.Finish();
}

Result<uint32_t> Writer::code_index(const Op& op, const std::string& label) {
  if (!in_tflite(op.kind)) {
    return Error(ErrorCode::tflite_write, op_type_name(op) + " is no TensorFlow Lite operator")
        .in_layer(label);
  }
  int builtin = kBuiltinCustom;
  std::string custom;
  if (op.kind == OpKind::opaque) {
    const auto& attrs = op.as<OpaqueAttrs>();
    if (attrs.options_type != 0) {
      return Error(ErrorCode::tflite_write, attrs.name + " has options of type " +
                                                std::to_string(attrs.options_type) +
                                                ", which are not kept on reading")
          .in_layer(label);
    }
    builtin = attrs.builtin_code;
    if (builtin == kBuiltinCustom) custom = attrs.name;
  } else if (info(op.kind).builtin == "CUSTOM") {
    custom = op_type_name(op);
  } else {
    builtin = builtin_code(info(op.kind).builtin).value_or(-1);
  }
  if (builtin < 0) {
    return Error(ErrorCode::tflite_write, op_type_name(op) + " has no operator code")
        .in_layer(label);
  }
  const auto next = static_cast<uint32_t>(codes_.size());
  const auto [row, added] = code_index_.emplace(CodeKey(builtin, custom, op.version), next);
  if (added) codes_.push_back(row->first);
  return row->second;
}

Result<Offset<schema::Operator>> Writer::write_op(const Graph& graph, size_t index) {
  const Op& op = graph.ops[index];
  const std::string label = op_label(graph, index);
  EDGETWIN_TRY_ASSIGN(const uint32_t code, code_index(op, label));
  EDGETWIN_TRY_ASSIGN(const WrittenOptions options, write_options(builder_, op, label));
  const Bytes custom = custom_options(op);
  content_ += custom.size();
  if (content_ > kMaxContent) return cannot("too many bytes of custom options", label);
  // Aligned too: compiled operators carry executables there.
  const Offset<Content> custom_offset = custom.empty() ? 0 : write_aligned(builder_, custom);
  const auto inputs = builder_.CreateVector(op.inputs);
  const auto outputs = builder_.CreateVector(op.outputs);
  const auto intermediates = op.intermediates.empty() ? 0 : builder_.CreateVector(op.intermediates);
  schema::OperatorBuilder to(builder_);
  to.add_opcode_index(code);
  to.add_inputs(inputs);
  to.add_outputs(outputs);
  to.add_options_type(static_cast<schema::OperatorOptions>(options.type));
  to.add_options(options.offset);
  to.add_custom_options(custom_offset);
  to.add_intermediates(intermediates);
  return to.Finish();
}

Status Writer::write_graph(const Graph& graph, size_t index) {
  EDGETWIN_TRY(verify_graph(graph));
  Offsets<schema::Tensor> tensors;
  for (size_t i = 0; i < graph.values.size(); ++i) {
    const std::string label = "subgraph " + std::to_string(index) + " tensor " + std::to_string(i) +
                              " '" + graph.values[i].name + "'";
    EDGETWIN_TRY_ASSIGN(const auto tensor, write_tensor(graph.values[i], label));
    tensors.push_back(tensor);
  }
  Offsets<schema::Operator> ops;
  for (size_t i = 0; i < graph.ops.size(); ++i) {
    EDGETWIN_TRY_ASSIGN(const auto op, write_op(graph, i));
    ops.push_back(op);
  }
  const auto tensor_rows = builder_.CreateVector(tensors);
  const auto inputs = builder_.CreateVector(graph.inputs);
  const auto outputs = builder_.CreateVector(graph.outputs);
  const auto op_rows = builder_.CreateVector(ops);
  const auto name = builder_.CreateString(graph.name);
  graphs_.push_back(schema::CreateSubGraph(builder_, tensor_rows, inputs, outputs, op_rows, name));
  return Ok{};
}

Status Writer::write_metadata(const Model& model) {
  for (const NamedBytes& entry : model.metadata) {
    EDGETWIN_TRY_ASSIGN(const uint32_t buffer, add_buffer(entry.data));
    const auto name = builder_.CreateString(entry.name);
    metadata_.push_back(schema::CreateMetadata(builder_, name, buffer));
  }
  return Ok{};
}

Offset<flatbuffers::Vector<Offset<schema::TensorMap>>> Writer::write_bindings(
    const std::vector<Signature::Binding>& bindings) {
  Offsets<schema::TensorMap> rows;
  for (const auto& binding : bindings) {
    const auto name = builder_.CreateString(binding.name);
    rows.push_back(schema::CreateTensorMap(builder_, name, binding.value));
  }
  return builder_.CreateVector(rows);
}

Status Writer::write_signatures(const Model& model) {
  for (const Signature& signature : model.signatures) {
    if (signature.graph >= model.graphs.size()) {
      return cannot("a signature of subgraph " + std::to_string(signature.graph) + " of " +
                        std::to_string(model.graphs.size()),
                    "signature '" + signature.key + "'");
    }
    const auto inputs = write_bindings(signature.inputs);
    const auto outputs = write_bindings(signature.outputs);
    const auto key = builder_.CreateString(signature.key);
    signatures_.push_back(
        schema::CreateSignatureDef(builder_, inputs, outputs, key, signature.graph));
  }
  return Ok{};
}

Offset<flatbuffers::Vector<Offset<schema::OperatorCode>>> Writer::write_codes() {
  Offsets<schema::OperatorCode> rows;
  for (const auto& [builtin, custom, version] : codes_) {
    const auto name = custom.empty() ? 0 : builder_.CreateString(custom);
    const auto in_a_byte = static_cast<int8_t>(std::min(builtin, kBuiltinInLongField));
    rows.push_back(schema::CreateOperatorCode(builder_, in_a_byte, name, version, builtin));
  }
  return builder_.CreateVector(rows);
}

Bytes Writer::finish(const std::string& description) {
  const auto codes = write_codes();
  const auto graphs = builder_.CreateVector(graphs_);
  const auto text = builder_.CreateString(description);
  const auto buffers = builder_.CreateVector(buffers_);
  const auto metadata = metadata_.empty() ? 0 : builder_.CreateVector(metadata_);
  const auto signatures = signatures_.empty() ? 0 : builder_.CreateVector(signatures_);
  schema::ModelBuilder to(builder_);
  to.add_version(kWrittenVersion);
  to.add_operator_codes(codes);
  to.add_subgraphs(graphs);
  to.add_description(text);
  to.add_buffers(buffers);
  to.add_metadata(metadata);
  to.add_signature_defs(signatures);
  schema::FinishModelBuffer(builder_, to.Finish());
  const auto written = std::as_bytes(std::span(builder_.GetBufferPointer(), builder_.GetSize()));
  return to_bytes(written);
}

Result<Bytes> Writer::write(const Model& model) {
  if (model.graphs.empty()) return cannot("a model without a graph", "graphs");
  buffers_.push_back(schema::CreateBuffer(builder_));  // number 0 means "no data"
  for (size_t i = 0; i < model.graphs.size(); ++i) {
    EDGETWIN_TRY(write_graph(model.graphs[i], i));
  }
  EDGETWIN_TRY(write_metadata(model));
  EDGETWIN_TRY(write_signatures(model));
  return finish(model.description);
}

}  // namespace

Result<Bytes> write(const Model& model) { return Writer().write(model); }

}  // namespace edgetwin::tflite

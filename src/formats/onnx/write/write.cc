// The messages of the format field by field; the numbers are those of its public description
// (onnx.proto3).
#include "formats/onnx/write/write.h"

#include <cstring>
#include <set>

namespace edgetwin::onnx {
namespace {

constexpr size_t kMostBytes = size_t{1} << 31;

// TensorProto.DataType
uint64_t code_of(DType type) {
  switch (type) {
    case DType::uint8:
      return 2;
    case DType::int8:
      return 3;
    case DType::int16:
      return 5;
    case DType::int32:
      return 6;
    case DType::int64:
      return 7;
    default:
      return 1;  // float32
  }
}

class WireMessage {
 public:
  WireMessage& number(uint64_t field, int64_t value) {
    varint(field << 3);
    varint(static_cast<uint64_t>(value));
    return *this;
  }
  WireMessage& real(uint64_t field, float value) {
    varint(field << 3 | 5);
    char raw[sizeof value];
    std::memcpy(raw, &value, sizeof value);
    bytes_.append(raw, sizeof value);
    return *this;
  }
  WireMessage& text(uint64_t field, std::string_view value) {
    varint(field << 3 | 2);
    varint(value.size());
    bytes_.append(value);
    return *this;
  }
  WireMessage& message(uint64_t field, const WireMessage& value) {
    return text(field, value.bytes_);
  }
  const std::string& bytes() const { return bytes_; }

 private:
  void varint(uint64_t v) {
    for (; v >= 0x80; v >>= 7) bytes_.push_back(static_cast<char>(v | 0x80));
    bytes_.push_back(static_cast<char>(v));
  }
  std::string bytes_;
};

WireMessage tensor_message(const TensorData& t) {
  WireMessage m;
  for (const int64_t d : t.shape.dims()) m.number(1, d);
  m.number(2, static_cast<int64_t>(code_of(t.dtype))).text(8, t.name);
  return std::move(m.text(9, as_text(ByteSpan(*t.data))));
}

WireMessage attribute_message(const Attribute& a) {
  WireMessage m;
  m.text(1, a.name);
  switch (a.kind) {
    case Attribute::Kind::real:
      return std::move(m.real(2, a.real).number(20, 1));
    case Attribute::Kind::integer:
      return std::move(m.number(3, a.integer).number(20, 2));
    case Attribute::Kind::text:
      return std::move(m.text(4, a.text).number(20, 3));
    case Attribute::Kind::tensor:
      return std::move(m.message(5, tensor_message(a.tensor)).number(20, 4));
    case Attribute::Kind::reals:
      for (const float v : a.reals) m.real(7, v);
      return std::move(m.number(20, 6));
    case Attribute::Kind::integers:
      for (const int64_t v : a.integers) m.number(8, v);
      return std::move(m.number(20, 7));
    case Attribute::Kind::texts:
      for (const std::string& v : a.texts) m.text(9, v);
      return std::move(m.number(20, 8));
    case Attribute::Kind::other:
      break;
  }
  return m;
}

WireMessage node_message(const Node& n) {
  WireMessage m;
  for (const std::string& i : n.inputs) m.text(1, i);
  for (const std::string& o : n.outputs) m.text(2, o);
  m.text(3, n.name).text(4, n.op_type);
  for (const Attribute& a : n.attributes) m.message(5, attribute_message(a));
  if (!n.domain.empty()) m.text(7, n.domain);
  return m;
}

WireMessage value_message(const ValueInfo& v) {
  WireMessage shape, tensor;
  for (const ValueInfo::Dim& d : v.dims) {
    WireMessage dim;
    if (d.size >= 0) dim.number(1, d.size);
    if (d.size < 0) dim.text(2, d.name);
    shape.message(1, dim);
  }
  tensor.number(1, static_cast<int64_t>(code_of(v.dtype.value_or(DType::float32))));
  if (v.has_shape) tensor.message(2, shape);
  return std::move(WireMessage().text(1, v.name).message(2, WireMessage().message(1, tensor)));
}

}  // namespace

Result<Bytes> write_document(const Document& d) {
  size_t constants = 0;
  for (const TensorData& t : d.initializers) constants += t.data->size();
  if (constants >= kMostBytes / 2) {
    return Error(ErrorCode::out_of_memory, "the constants have " + std::to_string(constants) +
                                               " bytes; one file holds less than " +
                                               std::to_string(kMostBytes / 2));
  }
  WireMessage graph;
  for (const Node& n : d.nodes) graph.message(1, node_message(n));
  graph.text(2, d.graph_name);
  for (const TensorData& t : d.initializers) graph.message(5, tensor_message(t));
  for (const ValueInfo& v : d.inputs) graph.message(11, value_message(v));
  for (const ValueInfo& v : d.outputs) graph.message(12, value_message(v));
  WireMessage model;
  model.number(1, d.ir_version).text(2, d.producer);
  if (!d.description.empty()) model.text(6, d.description);
  model.message(7, graph).message(8, WireMessage().text(1, "").number(2, d.opset));
  std::set<std::string> domains;
  for (const Node& n : d.nodes) domains.insert(n.domain);
  domains.erase("");
  for (const std::string& domain : domains) {
    model.message(8, WireMessage().text(1, domain).number(2, 1));
  }
  for (const NamedBytes& entry : d.metadata) {
    model.message(14, WireMessage().text(1, entry.name).text(2, as_text(ByteSpan(entry.data))));
  }
  return to_bytes(as_byte_span(model.bytes()));
}

}  // namespace edgetwin::onnx

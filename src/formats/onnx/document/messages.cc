// From the message classes of the format's library to a document.
#include <cstring>
#include <map>

#include "formats/onnx/document/document.h"
#include "formats/onnx/document/external_weights.h"
#include "formats/onnx/document/float_forms.h"
#include "formats/onnx/document/messages.h"
#include "tensor/tensor.h"

#define ONNX_ML 1
#define ONNX_NAMESPACE onnx
#include <google/protobuf/io/coded_stream.h>
#include <onnx/onnx_pb.h>

namespace edgetwin::onnx {
namespace {

namespace pb = ::onnx;

constexpr int64_t kOldestOpset = 7;
constexpr int64_t kNewestOpset = 21;
constexpr int64_t kMaxNodes = 1 << 20;
constexpr int kMaxDepth = 64;
constexpr size_t kMaxBytes = size_t{1} << 31;

// float16, bfloat16 and float64 are kept as float32.
std::optional<DType> dtype_of_code(int code) {
  using T = pb::TensorProto;
  switch (code) {
    case T::FLOAT:
    case T::FLOAT16:
    case T::BFLOAT16:
    case T::DOUBLE:
      return DType::float32;
    case T::UINT8:
      return DType::uint8;
    case T::INT8:
      return DType::int8;
    case T::UINT16:
      return DType::uint16;
    case T::INT16:
      return DType::int16;
    case T::INT32:
      return DType::int32;
    case T::INT64:
      return DType::int64;
    case T::BOOL:
      return DType::boolean;
    case T::UINT32:
      return DType::uint32;
    case T::UINT64:
      return DType::uint64;
    default:
      return std::nullopt;
  }
}

size_t stored_size(int code) {
  using T = pb::TensorProto;
  if (code == T::FLOAT16 || code == T::BFLOAT16) return 2;
  if (code == T::DOUBLE) return 8;
  return byte_size(*dtype_of_code(code));
}

// Elements as they are stored raw: little endian, one after the other.
template <class To, class List>
Bytes packed(const List& list) {
  Bytes data(static_cast<size_t>(list.size()) * sizeof(To));
  size_t at = 0;
  for (const auto& v : list) {
    const To narrow = static_cast<To>(v);
    std::memcpy(data.data() + at, &narrow, sizeof narrow);
    at += sizeof narrow;
  }
  return data;
}

Bytes typed_elements(const pb::TensorProto& t) {
  using T = pb::TensorProto;
  switch (t.data_type()) {
    case T::FLOAT:
      return packed<float>(t.float_data());
    case T::DOUBLE:
      return packed<double>(t.double_data());
    case T::INT64:
      return packed<int64_t>(t.int64_data());
    case T::UINT32:
      return packed<uint32_t>(t.uint64_data());
    case T::UINT64:
      return packed<uint64_t>(t.uint64_data());
    case T::INT32:
      return packed<int32_t>(t.int32_data());
    case T::INT16:
    case T::UINT16:
    case T::FLOAT16:
    case T::BFLOAT16:
      return packed<uint16_t>(t.int32_data());
    default:
      return packed<uint8_t>(t.int32_data());
  }
}

// float32 of what is stored otherwise.
Bytes as_float32(int code, const Bytes& stored) {
  using T = pb::TensorProto;
  if (code == T::DOUBLE) return floats_of(FloatForm::float64, stored);
  return floats_of(code == T::FLOAT16 ? FloatForm::float16 : FloatForm::bfloat16, stored);
}

class DocumentReader {
 public:
  DocumentReader(const std::string& file, const ExternalFiles& external)
      : file_(file), weights_(file, external) {}

  Result<Document> run(ByteSpan data) {
    pb::ModelProto model;
    EDGETWIN_TRY(parse(data, model));
    Document d;
    d.ir_version = model.ir_version();
    d.producer = model.producer_name();
    d.description = model.doc_string();
    for (const auto& set : model.opset_import()) {
      if (set.domain().empty() || set.domain() == "ai.onnx") d.opset = set.version();
    }
    if (d.opset < kOldestOpset || d.opset > kNewestOpset) {
      return Error(ErrorCode::onnx_opset,
                   "the model uses opset " + std::to_string(d.opset) + ", this program reads " +
                       std::to_string(kOldestOpset) + " to " + std::to_string(kNewestOpset))
          .in_file(file_);
    }
    for (const auto& p : model.metadata_props()) {
      d.metadata.push_back({p.key(), to_bytes(as_byte_span(p.value()))});
    }
    EDGETWIN_TRY(take_graph(model.graph(), d));
    return d;
  }

 private:
  Status parse(ByteSpan data, pb::ModelProto& model) const {
    const auto fail = [&](const std::string& why) {
      return Error(ErrorCode::onnx_protobuf, why).in_file(file_);
    };
    if (data.size() >= kMaxBytes) return fail("more than 2 GiB in one message");
    google::protobuf::io::CodedInputStream stream(reinterpret_cast<const uint8_t*>(data.data()),
                                                  static_cast<int>(data.size()));
    stream.SetRecursionLimit(kMaxDepth);
    if (!model.ParseFromCodedStream(&stream) || !stream.ConsumedEntireMessage()) {
      return fail("the messages of the file are damaged near byte " +
                  std::to_string(stream.CurrentPosition()));
    }
    if (!model.has_graph()) return fail("the model has no graph");
    return Ok{};
  }

  Status take_graph(const pb::GraphProto& graph, Document& d) {
    d.graph_name = graph.name();
    if (graph.node_size() > kMaxNodes) {
      return Error(ErrorCode::out_of_memory, "more than a million nodes").in_file(file_);
    }
    if (graph.sparse_initializer_size() > 0) {
      return Error(ErrorCode::onnx_tensor, "sparse weights are not read")
          .in_field(graph.sparse_initializer(0).values().name())
          .in_file(file_);
    }
    for (const auto& t : graph.initializer()) {
      EDGETWIN_TRY_ASSIGN(TensorData data, tensor(t, t.name()));
      d.initializers.push_back(std::move(data));
    }
    for (const auto& v : graph.input()) d.inputs.push_back(value_info(v));
    for (const auto& v : graph.output()) d.outputs.push_back(value_info(v));
    for (const auto& n : graph.node()) {
      EDGETWIN_TRY_ASSIGN(Node one, node(n, d.nodes.size()));
      d.nodes.push_back(std::move(one));
    }
    return Ok{};
  }

  static ValueInfo value_info(const pb::ValueInfoProto& v) {
    ValueInfo info;
    info.name = v.name();
    if (!v.has_type() || !v.type().has_tensor_type()) return info;
    const auto& type = v.type().tensor_type();
    info.dtype = dtype_of_code(type.elem_type());
    info.has_shape = type.has_shape();
    for (const auto& dim : type.shape().dim()) {
      const bool known = dim.has_dim_value() && dim.dim_value() >= 0;
      info.dims.push_back({known ? dim.dim_value() : -1, dim.dim_param()});
    }
    return info;
  }

  Result<Node> node(const pb::NodeProto& n, size_t index) {
    Node one;
    one.index = index;
    one.name = n.name();
    one.op_type = n.op_type();
    one.domain = n.domain() == "ai.onnx" ? "" : n.domain();
    one.inputs.assign(n.input().begin(), n.input().end());
    one.outputs.assign(n.output().begin(), n.output().end());
    for (const auto& a : n.attribute()) {
      EDGETWIN_TRY_ASSIGN(Attribute attribute, this->attribute(a, one));
      one.attributes.push_back(std::move(attribute));
    }
    return one;
  }

  Result<Attribute> attribute(const pb::AttributeProto& a, const Node& node) {
    using P = pb::AttributeProto;
    Attribute out;
    out.name = a.name();
    switch (a.type()) {
      case P::FLOAT:
        out.kind = Attribute::Kind::real;
        out.real = a.f();
        break;
      case P::INT:
        out.kind = Attribute::Kind::integer;
        out.integer = a.i();
        break;
      case P::STRING:
        out.kind = Attribute::Kind::text;
        out.text = a.s();
        break;
      case P::TENSOR: {
        out.kind = Attribute::Kind::tensor;
        EDGETWIN_TRY_ASSIGN(out.tensor, tensor(a.t(), node.label()));
        break;
      }
      case P::FLOATS:
        out.kind = Attribute::Kind::reals;
        out.reals.assign(a.floats().begin(), a.floats().end());
        break;
      case P::INTS:
        out.kind = Attribute::Kind::integers;
        out.integers.assign(a.ints().begin(), a.ints().end());
        break;
      case P::STRINGS:
        out.kind = Attribute::Kind::texts;
        out.texts.assign(a.strings().begin(), a.strings().end());
        break;
      default:
        break;
    }
    return out;
  }

  Error bad(const std::string& place, const std::string& what) const {
    return Error(ErrorCode::onnx_tensor, what).in_field(place).in_file(file_);
  }

  Result<TensorData> tensor(const pb::TensorProto& t, const std::string& place) {
    TensorData out;
    out.name = t.name();
    const auto dtype = dtype_of_code(t.data_type());
    if (!dtype) {
      return bad(place, "elements of type " + std::to_string(t.data_type()) + " are not read");
    }
    out.dtype = *dtype;
    if (t.dims_size() > Shape::kMaxRank) {
      return bad(place, std::to_string(t.dims_size()) + " dimensions, at most 8 are possible");
    }
    for (const int64_t dim : t.dims()) out.shape.push_back(dim);
    if (!within_limits(DType::float64, out.shape)) {
      return bad(place, "a tensor of " + to_string(out.shape));
    }
    EDGETWIN_TRY_ASSIGN(Bytes stored, stored_elements(t, place));
    const auto wanted = static_cast<size_t>(out.shape.elements()) * stored_size(t.data_type());
    if (stored.size() != wanted) {
      return bad(place, std::to_string(stored.size()) + " bytes, " + to_string(out.shape) +
                            " needs " + std::to_string(wanted));
    }
    const bool converted = out.dtype == DType::float32 && t.data_type() != pb::TensorProto::FLOAT;
    if (converted) stored = as_float32(t.data_type(), stored);
    out.data = std::make_shared<const Bytes>(std::move(stored));
    return out;
  }

  Result<Bytes> stored_elements(const pb::TensorProto& t, const std::string& place) {
    if (t.data_location() == pb::TensorProto::EXTERNAL) return external(t, place);
    if (t.has_raw_data()) return to_bytes(as_byte_span(t.raw_data()));
    return typed_elements(t);
  }

  Result<Bytes> external(const pb::TensorProto& t, const std::string& place) {
    std::map<std::string, std::string> entries;
    for (const auto& e : t.external_data()) entries[e.key()] = e.value();
    return weights_.read(entries, place);
  }

  const std::string& file_;
  ExternalWeights weights_;
};

Result<Document> read_messages(ByteSpan data, const std::string& file,
                               const ExternalFiles& external) {
  return DocumentReader(file, external).run(data);
}

}  // namespace
}  // namespace edgetwin::onnx

edgetwin::onnx::ReadMessages* const edgetwin_onnx_messages = edgetwin::onnx::read_messages;

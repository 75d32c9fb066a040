// The FlatBuffer is built field by field from the numbers of the schema; no generated code. A field
// with id k has the vtable offset 4 + 2k. Tensor order: all activations in execution order (tensor
// 0 is the picture, tensor i + 1 the output of operator i), then the constants.

#include "write_tflite.h"

#include <flatbuffers/flatbuffers.h>
#include <algorithm>
#include <cstddef>
#include <string>
#include <utility>

namespace edgetwin::digits {
namespace {

using flatbuffers::FlatBufferBuilder;
using flatbuffers::Offset;
using Table = Offset<void>;
using Tables = std::vector<Table>;

constexpr std::int8_t kTypeInt32 = 2;
constexpr std::int8_t kTypeInt8 = 9;

flatbuffers::voffset_t field(int id) { return static_cast<flatbuffers::voffset_t>(4 + 2 * id); }

// Operator code, version and option table of the schema.
struct OperatorRow {
  std::int8_t code;
  std::int32_t version;
  std::uint8_t options;
};

OperatorRow row_of(Kind kind) {
  switch (kind) {
    case Kind::kConv:
      return {3, 3, 1};
    case Kind::kDepthwise:
      return {4, 3, 2};
    case Kind::kAdd:
      return {0, 2, 11};
    case Kind::kMaxPool:
      return {17, 2, 5};
    case Kind::kAveragePool:
      return {1, 2, 5};
    case Kind::kReshape:
      return {22, 1, 17};
    case Kind::kFullyConnected:
      return {9, 4, 8};
    case Kind::kSoftmax:
      return {25, 2, 9};
  }
  return {};
}

std::int8_t activation_code(Activation activation) {
  switch (activation) {
    case Activation::kNone:
      return 0;
    case Activation::kRelu:
      return 1;
    case Activation::kRelu6:
      return 3;
  }
  return 0;
}

// A table under construction: references must exist before the table starts, so it takes scalars
// and offsets only.
class TableBuilder {
 public:
  explicit TableBuilder(FlatBufferBuilder& fbb) : fbb_(fbb), start_(fbb.StartTable()) {}
  template <typename T>
  TableBuilder& scalar(int id, T value, T schema_default = T{}) {
    fbb_.AddElement<T>(field(id), value, schema_default);
    return *this;
  }
  template <typename T>
  TableBuilder& reference(int id, Offset<T> offset) {
    fbb_.AddOffset(field(id), offset);
    return *this;
  }
  Table finish() { return Table(fbb_.EndTable(start_)); }

 private:
  FlatBufferBuilder& fbb_;
  flatbuffers::uoffset_t start_;
};

class Writer {
 public:
  explicit Writer(const QuantizedNet& net) : net_(net) {
    buffers_.push_back(TableBuilder(fbb_).finish());  // buffer 0: "no data"
  }

  std::vector<std::uint8_t> write() {
    add_activations();
    Tables operators;
    for (std::size_t i = 0; i < net_.layers.size(); ++i) operators.push_back(add_operator(i));
    const Table graph = add_subgraph(operators);
    const auto graphs = fbb_.CreateVector(Tables{graph});
    const auto codes = fbb_.CreateVector(codes_);
    const auto buffers = fbb_.CreateVector(buffers_);
    const auto description = fbb_.CreateString("edgetwin digits, int8");
    TableBuilder model(fbb_);
    model.scalar<std::uint32_t>(0, 3).reference(1, codes).reference(2, graphs);
    fbb_.Finish(model.reference(3, description).reference(4, buffers).finish(), "TFL3");
    return {fbb_.GetBufferPointer(), fbb_.GetBufferPointer() + fbb_.GetSize()};
  }

 private:
  struct Constant {
    std::string name;
    std::vector<std::int32_t> dims;
    std::int8_t type;
    std::vector<float> scale;
    std::int32_t axis;
  };

  std::int32_t add_tensor(const Constant& tensor, std::uint32_t buffer, std::int64_t zero_point) {
    Table quantization;
    if (!tensor.scale.empty()) {
      const auto scales = fbb_.CreateVector(tensor.scale);
      const auto zeros =
          fbb_.CreateVector(std::vector<std::int64_t>(tensor.scale.size(), zero_point));
      TableBuilder table(fbb_);
      quantization = table.reference(2, scales).reference(3, zeros).scalar(6, tensor.axis).finish();
    }
    const auto dims = fbb_.CreateVector(tensor.dims);
    const auto name = fbb_.CreateString(tensor.name);
    TableBuilder table(fbb_);
    table.reference(0, dims).scalar(1, tensor.type).scalar(2, buffer).reference(3, name);
    if (!quantization.IsNull()) table.reference(4, quantization);
    tensors_.push_back(table.finish());
    return static_cast<std::int32_t>(tensors_.size()) - 1;
  }

  template <typename T>
  std::int32_t add_constant(const Constant& tensor, const std::vector<T>& values) {
    const auto* bytes = reinterpret_cast<const std::uint8_t*>(values.data());
    const std::size_t size = values.size() * sizeof(T);
    fbb_.ForceVectorAlignment(size, 1, 16);
    const auto data = fbb_.CreateVector(bytes, size);
    buffers_.push_back(TableBuilder(fbb_).reference(0, data).finish());
    return add_tensor(tensor, static_cast<std::uint32_t>(buffers_.size()) - 1, 0);
  }

  void add_activations() {
    for (std::size_t i = 0; i < net_.dims.size(); ++i) {
      const std::string name = i == 0 ? "picture" : net_.layers[i - 1].name;
      const Quant quant = net_.quants[i];
      add_tensor({name, net_.dims[i], kTypeInt8, {quant.scale}, 0}, 0, quant.zero_point);
    }
  }

  std::vector<std::int32_t> add_operator_inputs(std::size_t index) {
    const Layer& layer = net_.layers[index];
    const QuantizedWeights& weights = net_.weights[index];
    std::vector<std::int32_t> inputs{layer.input};
    if (layer.kind == Kind::kAdd) inputs.push_back(layer.second_input);
    if (layer.kind == Kind::kReshape) {
      const auto& dims = net_.dims[index + 1];
      const auto count = static_cast<std::int32_t>(dims.size());
      inputs.push_back(add_constant({layer.name + "/shape", {count}, kTypeInt32, {}, 0}, dims));
    }
    if (!layer.has_weights()) return inputs;
    std::vector<std::int32_t> dims{layer.out.c, layer.kernel, layer.kernel, layer.in.c};
    if (layer.kind == Kind::kDepthwise) dims = {1, layer.kernel, layer.kernel, layer.out.c};
    if (layer.kind == Kind::kFullyConnected) dims = {layer.out.c, layer.in.c};
    const std::int32_t axis = layer.kind == Kind::kDepthwise ? 3 : 0;
    inputs.push_back(add_constant({layer.name + "/weights", dims, kTypeInt8, weights.scale, axis},
                                  weights.weight));
    inputs.push_back(add_constant(
        {layer.name + "/bias", {layer.out.c}, kTypeInt32, weights.bias_scale, 0}, weights.bias));
    return inputs;
  }

  Table add_options(const Layer& layer, const std::vector<std::int32_t>& out_dims) {
    flatbuffers::Offset<flatbuffers::Vector<std::int32_t>> shape;
    if (layer.kind == Kind::kReshape) shape = fbb_.CreateVector(out_dims);
    const std::int8_t activation = activation_code(layer.activation);
    TableBuilder table(fbb_);  // padding stays at its default, SAME
    switch (layer.kind) {
      case Kind::kConv:
        return table.scalar(1, layer.stride).scalar(2, layer.stride).scalar(3, activation).finish();
      case Kind::kDepthwise:
        table.scalar(1, layer.stride).scalar(2, layer.stride).scalar(3, 1);
        return table.scalar(4, activation).finish();
      case Kind::kMaxPool:
      case Kind::kAveragePool:
        table.scalar(1, layer.stride).scalar(2, layer.stride).scalar(3, layer.kernel);
        return table.scalar(4, layer.kernel).scalar(5, activation).finish();
      case Kind::kReshape:
        return table.reference(0, shape).finish();
      case Kind::kSoftmax:
        return table.scalar(0, 1.0f).finish();
      case Kind::kAdd:
      case Kind::kFullyConnected:
        break;
    }
    return table.scalar(0, activation).finish();
  }

  std::uint32_t code_index(Kind kind) {
    const auto known = std::find(kinds_.begin(), kinds_.end(), kind);
    if (known != kinds_.end()) return static_cast<std::uint32_t>(known - kinds_.begin());
    const OperatorRow row = row_of(kind);
    TableBuilder table(fbb_);
    table.scalar(0, row.code).scalar(2, row.version, 1);
    codes_.push_back(table.scalar<std::int32_t>(3, row.code).finish());
    kinds_.push_back(kind);
    return static_cast<std::uint32_t>(kinds_.size()) - 1;
  }

  Table add_operator(std::size_t index) {
    const Layer& layer = net_.layers[index];
    const std::uint32_t code = code_index(layer.kind);
    const auto inputs = fbb_.CreateVector(add_operator_inputs(index));
    const auto outputs =
        fbb_.CreateVector(std::vector<std::int32_t>{static_cast<std::int32_t>(index) + 1});
    const Table options = add_options(layer, net_.dims[index + 1]);
    TableBuilder table(fbb_);
    table.scalar(0, code).reference(1, inputs).reference(2, outputs);
    return table.scalar(3, row_of(layer.kind).options).reference(4, options).finish();
  }

  Table add_subgraph(const Tables& operators) {
    const auto last = static_cast<std::int32_t>(net_.layers.size());
    const auto tensors = fbb_.CreateVector(tensors_);
    const auto inputs = fbb_.CreateVector(std::vector<std::int32_t>{0});
    const auto outputs = fbb_.CreateVector(std::vector<std::int32_t>{last});
    const auto list = fbb_.CreateVector(operators);
    const auto name = fbb_.CreateString("main");
    TableBuilder table(fbb_);
    table.reference(0, tensors).reference(1, inputs).reference(2, outputs);
    return table.reference(3, list).reference(4, name).finish();
  }

  const QuantizedNet& net_;
  FlatBufferBuilder fbb_;
  Tables buffers_;
  Tables tensors_;
  Tables codes_;
  std::vector<Kind> kinds_;  // of codes_
};

}  // namespace

std::vector<std::uint8_t> write_tflite(const QuantizedNet& net) { return Writer(net).write(); }

}  // namespace edgetwin::digits

#include <algorithm>
#include <cmath>
#include <cstring>

#include "edgetwin/learn.h"
#include "formats/tflite/tflite.h"

namespace edgetwin {
namespace {

constexpr float kSoftmaxScale = 1.0F / 256.0F;
constexpr float kLeastRange = 1e-6F;

Bytes raw(const void* data, size_t size) {
  Bytes bytes(size);
  std::memcpy(bytes.data(), data, size);
  return bytes;
}

// Affine numbers of the type whose range holds [low, high] and 0.
Quant affine_of(float low, float high, const IntegerRange& range) {
  low = std::min(low, 0.0F);
  high = std::max(high, low + kLeastRange);
  high = std::max(high, 0.0F);
  const auto steps = static_cast<float>(range.high - range.low);
  const float scale = (high - low) / steps;
  const float zero = static_cast<float>(range.low) - low / scale;
  const auto point = static_cast<int64_t>(std::lround(zero));
  return Quant::affine(scale, std::clamp(point, range.low, range.high));
}

Bytes quantized(std::span<const float> reals, const Quant& quant, const IntegerRange& range) {
  Bytes bytes;
  for (const float real : reals) {
    const float q = std::nearbyint(real / quant.scale[0]) + static_cast<float>(quant.zero_point[0]);
    const float kept = std::clamp(q, static_cast<float>(range.low), static_cast<float>(range.high));
    bytes.push_back(static_cast<std::byte>(static_cast<int>(kept) & 0xff));
  }
  return bytes;
}

class Appender {
 public:
  Appender(Model& model, const SoftmaxLayer& layer)
      : graph_(model.graphs.front()),
        layer_(layer),
        features_(layer.weights.size() / static_cast<size_t>(layer.classes)) {}

  Status run() {
    ValueId from = graph_.outputs.front();
    const Value input = graph_.value(from);
    const auto range = integer_range(input.dtype);
    const bool bytes = input.dtype == DType::uint8 || input.dtype == DType::int8;
    if (!bytes || !input.quant.present() || input.quant.per_channel()) {
      return Error(ErrorCode::usage, "the embedding is " + std::string(name(input.dtype)) +
                                         "; a classifier is appended to 8-bit outputs");
    }
    if (input.shape.elements() != static_cast<int64_t>(features_)) {
      return Error(ErrorCode::usage, "the embedding has " + std::to_string(input.shape.elements()) +
                                         " numbers, the weights have " + std::to_string(features_));
    }
    if (input.shape.rank() != 2) from = flatten(from, input);
    const ValueId logits = dense(from, input, *range);
    graph_.outputs = {softmax(logits, input.dtype, *range)};
    return Ok{};
  }

 private:
  ValueId add(Value value) {
    graph_.values.push_back(std::move(value));
    return static_cast<ValueId>(graph_.values.size() - 1);
  }
  ValueId constant(const std::string& name, DType type, Shape shape, Quant quant, Bytes bytes) {
    Value v;
    v.name = name;
    v.dtype = type;
    v.shape = shape;
    v.quant = std::move(quant);
    v.constant = std::make_shared<const Bytes>(std::move(bytes));
    return add(std::move(v));
  }
  ValueId activation(const std::string& name, DType type, Quant quant, int64_t size) {
    Value v;
    v.name = name;
    v.dtype = type;
    v.shape = Shape{1, size};
    v.quant = std::move(quant);
    return add(std::move(v));
  }
  void op(OpKind kind, Attrs attrs, std::vector<ValueId> inputs, ValueId output) {
    Op made;
    made.kind = kind;
    made.attrs = std::move(attrs);
    made.inputs = std::move(inputs);
    made.outputs = {output};
    graph_.ops.push_back(std::move(made));
  }

  ValueId flatten(ValueId from, const Value& input) {
    const int32_t shape[] = {1, static_cast<int32_t>(features_)};
    const ValueId sizes =
        constant("flatten/shape", DType::int32, Shape{2}, {}, raw(shape, sizeof(shape)));
    const ValueId flat =
        activation("flatten", input.dtype, input.quant, static_cast<int64_t>(features_));
    op(OpKind::reshape, ReshapeAttrs{{shape[0], shape[1]}, false}, {from, sizes}, flat);
    return flat;
  }

  ValueId dense(ValueId from, const Value& input, const IntegerRange& range) {
    const auto [least, most] = std::minmax_element(layer_.weights.begin(), layer_.weights.end());
    // int8 weights are symmetric, as all int8 kernels want them.
    const float bound = std::max(std::max(-*least, *most), kLeastRange);
    constexpr float kInt8Most = 127.0F;
    const Quant weights = input.dtype == DType::int8 ? Quant::affine(bound / kInt8Most, 0)
                                                     : affine_of(*least, *most, range);
    const float bias_scale = weights.scale[0] * input.quant.scale[0];
    std::vector<int32_t> bias;
    for (const float b : layer_.bias) {
      bias.push_back(static_cast<int32_t>(
          std::lround(std::clamp(b / bias_scale, -2147483520.0F, 2147483520.0F))));
    }
    const ValueId w = constant("dense/weights", input.dtype,
                               Shape{layer_.classes, static_cast<int64_t>(features_)}, weights,
                               quantized(layer_.weights, weights, range));
    const ValueId b =
        constant("dense/bias", DType::int32, Shape{layer_.classes}, Quant::affine(bias_scale, 0),
                 raw(bias.data(), bias.size() * sizeof(int32_t)));
    const ValueId logits = activation("logits", input.dtype,
                                      affine_of(layer_.low, layer_.high, range), layer_.classes);
    op(OpKind::fully_connected, FullyConnectedAttrs{}, {from, w, b}, logits);
    return logits;
  }

  ValueId softmax(ValueId logits, DType type, const IntegerRange& range) {
    const ValueId out =
        activation("softmax", type, Quant::affine(kSoftmaxScale, range.low), layer_.classes);
    SoftmaxAttrs attrs;
    attrs.beta = 1.0F;
    op(OpKind::softmax, attrs, {logits}, out);
    return out;
  }

  Graph& graph_;
  const SoftmaxLayer& layer_;
  size_t features_;
};

}  // namespace

Result<Bytes> append_softmax(ByteSpan model, const std::string& name, const SoftmaxLayer& layer) {
  const auto classes = static_cast<size_t>(std::max(layer.classes, 0));
  if (classes == 0 || layer.bias.size() != classes || layer.weights.empty() ||
      layer.weights.size() % classes != 0) {
    return Error(ErrorCode::usage, "the weights and biases are not those of " +
                                       std::to_string(layer.classes) + " classes");
  }
  const auto finite = [](float f) { return std::isfinite(f); };
  if (!std::all_of(layer.weights.begin(), layer.weights.end(), finite) ||
      !std::all_of(layer.bias.begin(), layer.bias.end(), finite) || !finite(layer.low) ||
      !finite(layer.high)) {
    return Error(ErrorCode::usage, "a weight, a bias or the range of the logits is not finite");
  }
  EDGETWIN_TRY_ASSIGN(Model changed, tflite::read(model, name));
  if (changed.main().outputs.empty()) return Error(ErrorCode::usage, "the network has no output");
  EDGETWIN_TRY(Appender(changed, layer).run());
  changed.signatures.clear();
  return tflite::write(changed);
}

}  // namespace edgetwin

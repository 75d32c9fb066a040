#include "twin/weights/device_weights.h"

#include <optional>

#include "targets/edgetpu/params/patch.h"
#include "targets/edgetpu/runtime/dense_weights.h"
#include "twin/weights/graph_weights.h"

namespace edgetwin::twin {
namespace {

Error not_these(std::string message) {
  return Error(ErrorCode::module_weights, std::move(message));
}

// What both ways have: a model that replaces another on the device before the next run.
class DeviceWeights : public Weights {
 public:
  explicit DeviceWeights(DeviceSubject subject)
      : subject_(std::move(subject)), original_(subject_.network->device_models().front()) {}

  size_t raw_bytes() const override { return original_->parameters().size(); }
  Status set_raw(ByteSpan parameters) override {
    auto made = original_->with_parameters(to_bytes(parameters));
    if (!made.ok()) return not_these(made.error().message);
    subject_.network->replace(0, std::move(*made));
    return Ok{};
  }
  Status upload() override {
    return subject_.device->load(subject_.network->device_models().front());
  }

 protected:
  void use(std::shared_ptr<const edgetpu::DeviceModel> model) {
    subject_.network->replace(0, std::move(model));
  }

  DeviceSubject subject_;
  std::shared_ptr<const edgetpu::DeviceModel> original_;
};

// One dense layer: its parameters are packed anew.
class PackedWeights final : public DeviceWeights {
 public:
  PackedWeights(DeviceSubject subject, edgetpu::DenseWeights dense)
      : DeviceWeights(std::move(subject)), dense_(std::move(dense)) {
    shape_ = Shape{dense_.rows(), dense_.columns()};
  }

  const Shape& shape() const override { return shape_; }
  std::span<const float> scales() const override { return dense_.scales(); }
  Status set(std::span<const int8_t> weights) override {
    EDGETWIN_TRY(check_weights(shape_, weights.size()));
    EDGETWIN_TRY_ASSIGN(auto model, dense_.with(weights));
    use(std::move(model));
    return Ok{};
  }
  Status set(std::span<const int8_t> weights, std::span<const float> scales) override {
    EDGETWIN_TRY(check_weights(shape_, weights.size()));
    EDGETWIN_TRY(check_scales(scales, static_cast<size_t>(dense_.rows())));
    if (dense_.has_bias()) {
      return not_these("the layer has a bias, whose steps depend on the scales of its weights");
    }
    EDGETWIN_TRY_ASSIGN(auto model, dense_.with(weights, scales));
    use(std::move(model));
    return Ok{};
  }
  Status reset() override {
    use(dense_.reset());
    return Ok{};
  }

 private:
  edgetpu::DenseWeights dense_;
  Shape shape_;
};

// A layer of a model whose source tells where its weights are: the file is patched.
class PatchedWeights final : public DeviceWeights {
 public:
  PatchedWeights(DeviceSubject subject, edgetpu::Located located, const Op& layer)
      : DeviceWeights(std::move(subject)), located_(std::move(located)) {
    const Graph& source = *subject_.source;
    const Value& v = source.value(layer.inputs[1]);
    layer_ = static_cast<size_t>(&layer - source.ops.data());
    weights_ = Tensor{v.name, v.dtype, v.shape, v.quant, {}};
    scales_ = row_scales(layer, v);
  }

  const Shape& shape() const override { return weights_.shape; }
  std::span<const float> scales() const override { return scales_; }
  Status set(std::span<const int8_t> weights) override {
    EDGETWIN_TRY(check_weights(weights_.shape, weights.size()));
    edgetpu::LayerPatch change;
    change.layer = std::to_string(layer_);
    change.weights = weights_;
    change.weights->data = to_bytes(std::as_bytes(weights));
    EDGETWIN_TRY_ASSIGN(const edgetpu::Patched patched,
                        edgetpu::patch(*subject_.data, *subject_.file, located_, {change}));
    EDGETWIN_TRY_ASSIGN(const darwinn::File file, darwinn::read(patched.file, subject_.name));
    EDGETWIN_TRY_ASSIGN(auto model, edgetpu::DeviceModel::make(file));
    use(std::move(model));
    return Ok{};
  }
  Status set(std::span<const int8_t>, std::span<const float>) override {
    return not_these(
        "the layer has one scale for all rows, or is not the only one of the model; "
        "its scales stay");
  }
  Status reset() override {
    use(original_);
    return Ok{};
  }

 private:
  edgetpu::Located located_;
  size_t layer_ = 0;  // of the source
  Tensor weights_;    // shape and type of the source
  std::vector<float> scales_;
};

std::unique_ptr<Weights> patched_weights(DeviceSubject subject) {
  if (subject.source == nullptr) return nullptr;
  const Graph& source = *subject.source;
  const Op* op = exchangeable_layer(source);
  if (op == nullptr) return nullptr;
  edgetpu::Located located = edgetpu::locate(*subject.file, source);
  for (size_t i = 0; i < located.layers.size(); ++i) {
    if (&source.ops[located.layers[i].op] != op || located.piece_of(i) == nullptr) continue;
    return std::make_unique<PatchedWeights>(std::move(subject), std::move(located), *op);
  }
  return nullptr;
}

}  // namespace

std::unique_ptr<Weights> device_weights(const DeviceSubject& subject) {
  const auto& models = subject.network->device_models();
  if (models.size() != 1 || models[0]->caching() == nullptr) return nullptr;
  auto dense = edgetpu::DenseWeights::make(*subject.file, models[0]);
  if (dense.ok()) return std::make_unique<PackedWeights>(subject, std::move(*dense));
  return patched_weights(subject);
}

}  // namespace edgetwin::twin

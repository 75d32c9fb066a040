#include "train/checkpoint/read.h"

#include "train/network/parameters.h"
#include "train/rules/rules.h"

namespace edgetwin::train {
namespace {

constexpr std::string_view kWeight = ".op.weight";
constexpr std::string_view kThreshold = ".activation_threshold";

std::string text(const Shape& shape) {
  std::string result;
  for (const int64_t d : shape.dims()) result += (result.empty() ? "" : "x") + std::to_string(d);
  return result.empty() ? "1" : result;
}

std::vector<float> values_of(const Tensor& tensor) {
  std::vector<float> values;
  for (int64_t i = 0; i < tensor.shape.elements(); ++i) {
    values.push_back(static_cast<float>(element_as_double(tensor.dtype, tensor.data, i)));
  }
  return values;
}

double scalar(const StoredState& state, const std::string& name, double otherwise) {
  const Tensor* t = state.find(name);
  if (t == nullptr || t->shape.elements() < 1) return otherwise;
  return element_as_double(t->dtype, t->data, 0);
}

class Loader {
 public:
  Loader(const StoredState& state, Model& model) : state_(state), model_(model) {}

  Status layer(size_t i) {
    NetworkLayer& layer = model_.network.layers[i];
    LayerParameters& p = model_.parameters[i];
    const Shape channels = {layer.spec.out_channels()};
    EDGETWIN_TRY_ASSIGN(p.weights, take(layer.name + ".op.weight", weight_shape(layer.spec)));
    p.bias.clear();
    layer.bias = state_.find(layer.name + ".op.bias") != nullptr;
    if (layer.bias) {
      EDGETWIN_TRY_ASSIGN(p.bias, take(layer.name + ".op.bias", channels));
    }
    p.norm.reset();
    layer.norm = NormKind::none;
    if (state_.find(layer.name + ".bn.running_mean") != nullptr) EDGETWIN_TRY(norm(i, channels));
    LayerQuantization& q = model_.quantization[i];
    const auto bits = static_cast<int>(scalar(state_, layer.name + ".weight_bits", 0));
    if (bits == 1 || bits == 2 || bits == 4 || bits == 8) q.bits = bits;
    q.quantile = static_cast<float>(scalar(state_, layer.name + ".shift_quantile", 1));
    q.threshold = static_cast<int>(scalar(state_, layer.name + std::string(kThreshold), 0));
    q.final_scale = static_cast<int>(scalar(state_, layer.name + ".final_scale", 0));
    return Ok{};
  }

 private:
  Status norm(size_t i, const Shape& channels) {
    NetworkLayer& layer = model_.network.layers[i];
    BatchNorm& n = model_.parameters[i].norm.emplace();
    const std::string prefix = layer.name + ".bn.";
    EDGETWIN_TRY_ASSIGN(n.mean, take(prefix + "running_mean", channels));
    EDGETWIN_TRY_ASSIGN(n.variance, take(prefix + "running_var", channels));
    n.batches = static_cast<int64_t>(scalar(state_, prefix + "num_batches_tracked", 0));
    layer.norm = NormKind::plain;
    if (state_.find(prefix + "weight") == nullptr) return Ok{};
    layer.norm = NormKind::affine;
    EDGETWIN_TRY_ASSIGN(n.scale, take(prefix + "weight", channels));
    EDGETWIN_TRY_ASSIGN(n.offset, take(prefix + "bias", channels));
    return Ok{};
  }

  Result<std::vector<float>> take(const std::string& name, const Shape& shape) const {
    const Tensor* tensor = state_.find(name);
    if (tensor == nullptr) {
      return broken(Rule::checkpoint_entry, "the checkpoint has no entry of this name")
          .in_file(state_.file())
          .in_field(name);
    }
    if (!(tensor->shape == shape)) {
      return broken(Rule::checkpoint_shape,
                    "the checkpoint has " + text(tensor->shape) + ", the network " + text(shape))
          .in_file(state_.file())
          .in_field(name);
    }
    return values_of(*tensor);
  }

  const StoredState& state_;
  Model& model_;
};

}  // namespace

Result<StoredState> StoredState::of(const torch::Checkpoint& checkpoint) {
  StoredState result;
  result.file_ = checkpoint.file();
  result.arch_ = checkpoint.text(checkpoint.root(), "arch").value_or("");
  if (const auto extras = checkpoint.find(checkpoint.root(), "extras")) {
    if (const auto own = checkpoint.find(*extras, "edgetwin")) {
      result.normalisation_ = checkpoint.text(*own, "normalisation").value_or("");
      if (const auto rounds = checkpoint.find(*own, "avg_pool_rounding")) {
        result.average_rounding_ = checkpoint.node(*rounds).integer != 0;
      }
    }
  }
  auto entries = checkpoint.state_dict();
  if (!entries) {
    return broken(Rule::checkpoint, "the checkpoint has no state_dict").in_file(result.file_);
  }
  for (const auto& entry : *entries) {
    std::string name = entry.name;
    if (name.starts_with("module.")) name = name.substr(7);
    result.thresholds_ = result.thresholds_ || name.ends_with(kThreshold);
    if (name.ends_with(kWeight)) {
      result.layers_.push_back({.name = name.substr(0, name.size() - kWeight.size()),
                                .weights = checkpoint.shape(entry.tensor)});
    }
    result.tensors_.insert_or_assign(name, checkpoint.tensor(entry.tensor));
  }
  for (Layer& layer : result.layers_) {
    layer.bias = result.find(layer.name + ".op.bias") != nullptr;
    layer.norm = result.find(layer.name + ".bn.running_mean") != nullptr;
    layer.affine = result.find(layer.name + ".bn.weight") != nullptr;
    layer.bits = static_cast<int>(scalar(result, layer.name + ".weight_bits", 0));
    layer.quantile = static_cast<float>(scalar(result, layer.name + ".shift_quantile", 1));
    result.quantized_ =
        result.quantized_ || scalar(result, layer.name + ".quantize_activation", 0) != 0;
  }
  return result;
}

const Tensor* StoredState::find(const std::string& name) const {
  const auto found = tensors_.find(name);
  return found == tensors_.end() ? nullptr : &found->second;
}

int out_channels(const StoredState::Layer& layer, bool transposed) {
  return static_cast<int>(layer.weights.rank() < 2 ? 0 : layer.weights[transposed ? 1 : 0]);
}

Status load_state(const StoredState& state, Model& model) {
  const size_t count = model.network.layers.size();
  model.parameters.resize(count);
  model.quantization.resize(count);
  Loader loader(state, model);
  for (size_t i = 0; i < count; ++i) {
    const NetworkLayer& layer = model.network.layers[i];
    if (!layer.spec.has_weights() || layer.owner >= 0) continue;
    EDGETWIN_TRY(loader.layer(i));
  }
  model.quantized = state.quantized();
  model.method = state.thresholds() ? QuantizationMethod::thresholds : QuantizationMethod::shifts;
  return Ok{};
}

}  // namespace edgetwin::train

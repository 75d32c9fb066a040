#include "train/network/model.h"

#include "train/layers/fold.h"
#include "train/math/random.h"
#include "train/network/arrange.h"

namespace edgetwin::train {
namespace {

std::vector<const Maps*> sources_of(const NetworkLayer& layer, const Recording& recording) {
  std::vector<const Maps*> result;
  for (const int s : layer.sources) {
    result.push_back(s < 0 ? &recording.input : &recording.outputs[static_cast<size_t>(s)]);
  }
  return result;
}

// What the layer's input stage reads: its sources, or what was arranged of them.
std::vector<const Maps*> operands_of(const NetworkLayer& layer, size_t i,
                                     const Recording& recording) {
  if (reads_directly(layer)) return sources_of(layer, recording);
  std::vector<const Maps*> result;
  for (const Maps& m : recording.arranged[i]) result.push_back(&m);
  return result;
}

void add(Maps& sum, Maps more) {
  if (sum.values.empty()) {
    sum = std::move(more);
    return;
  }
  for (size_t i = 0; i < sum.values.size(); ++i) sum.values[i] += more.values[i];
}

void add(std::vector<float>& sum, const std::vector<float>& more) {
  if (sum.empty()) sum.assign(more.size(), 0.0F);
  for (size_t i = 0; i < more.size(); ++i) sum[i] += more[i];
}

void add(LayerGradients& sum, const LayerGradients& more) {
  add(sum.weights, more.weights);
  add(sum.bias, more.bias);
  add(sum.norm.scale, more.norm.scale);
  add(sum.norm.offset, more.norm.offset);
}

// 0 with the layer's probability, else 1 / (1 - probability); by item, whatever the threads do.
std::vector<float> drawn(const Maps& maps, float probability, const Dropout& dropout,
                         size_t layer) {
  std::vector<float> kept(maps.values.size());
  const float factor = 1 / (1 - probability);
  const auto size = static_cast<size_t>(maps.item_size());
  for (size_t item = 0; item < static_cast<size_t>(maps.n); ++item) {
    Random random(dropout.seed, Purpose::dropout, dropout.epoch << 32 | dropout.step,
                  item << 16 | layer);
    for (size_t i = 0; i < size; ++i) {
      kept[item * size + i] = random.uniform() < probability ? 0.0F : factor;
    }
  }
  return kept;
}

void multiply(Maps& maps, const std::vector<float>& factors) {
  for (size_t i = 0; i < factors.size(); ++i) maps.values[i] *= factors[i];
}

bool reads_layers(const NetworkLayer& layer) {
  for (const int s : layer.sources) {
    if (s != kNetworkInput) return true;
  }
  return false;
}

}  // namespace

Recording::Recording() = default;
Recording::Recording(Recording&&) noexcept = default;
Recording& Recording::operator=(Recording&&) noexcept = default;
Recording::~Recording() = default;

std::string_view method_name(QuantizationMethod method) {
  return method == QuantizationMethod::thresholds ? "thresholds" : "shifts";
}

void forward(Model& model, Maps input, bool training, Recording& recording, ThreadPool& pool,
             const Dropout* dropout) {
  const size_t count = model.network.layers.size();
  recording.input = std::move(input);
  recording.outputs.assign(count, Maps());
  recording.arranged.assign(count, {});
  recording.tapes.assign(count, Tape());
  recording.kept.assign(count, {});
  for (size_t i = 0; i < count; ++i) {
    const NetworkLayer& layer = model.network.layers[i];
    if (!reads_directly(layer))
      recording.arranged[i] = arranged(layer, sources_of(layer, recording));
    const size_t owner = model.network.owner(i);
    Phase phase;
    phase.training = training;
    phase.unlimited = model.unlimited();
    if (model.quantized) phase.quantization = model.quantization[owner];
    recording.outputs[i] = forward(layer.spec, operands_of(layer, i, recording),
                                   model.parameters[owner], phase, recording.tapes[i], pool);
    if (dropout == nullptr || layer.dropout == 0) continue;
    recording.kept[i] = drawn(recording.outputs[i], layer.dropout, *dropout, i);
    multiply(recording.outputs[i], recording.kept[i]);
  }
}

std::vector<LayerGradients> backward(const Model& model, const Recording& recording,
                                     std::vector<std::pair<size_t, Maps>> output_gradients,
                                     ThreadPool& pool, Maps* input_gradient) {
  const auto& layers = model.network.layers;
  std::vector<LayerGradients> result(layers.size());
  std::vector<Maps> pending(layers.size());
  for (auto& [layer, gradient] : output_gradients) add(pending[layer], std::move(gradient));
  for (size_t i = layers.size(); i-- > 0;) {
    if (pending[i].values.empty()) continue;
    const NetworkLayer& layer = layers[i];
    const size_t owner = model.network.owner(i);
    multiply(pending[i], recording.kept[i]);
    Backward own = backward(layer.spec, operands_of(layer, i, recording), model.parameters[owner],
                            recording.tapes[i], std::move(pending[i]),
                            input_gradient != nullptr || reads_layers(layer), pool);
    add(result[owner], own.gradients);
    if (own.sources.empty()) continue;
    if (!reads_directly(layer)) {
      own.sources = arranged_gradient(layer, sources_of(layer, recording), std::move(own.sources));
    }
    for (size_t s = 0; s < layer.sources.size(); ++s) {
      if (layer.sources[s] >= 0) {
        add(pending[static_cast<size_t>(layer.sources[s])], std::move(own.sources[s]));
      } else if (input_gradient != nullptr) {
        add(*input_gradient, std::move(own.sources[s]));
      }
    }
  }
  return result;
}

const Maps& sum_input(const Network& network, const Recording& recording, size_t layer) {
  return recording.tapes[layer].sum_input(operands_of(network.layers[layer], layer, recording));
}

void fold_all(Model& model) {
  const float part = model.unlimited() ? 1.0F : kNormPart;
  for (size_t i = 0; i < model.network.layers.size(); ++i) {
    NetworkLayer& layer = model.network.layers[i];
    if (!model.parameters[i].norm) continue;
    fold_batch_norm(model.parameters[i], layer.spec.window, layer.spec.transposed(),
                    kBatchNormEpsilon, part);
    layer.norm = NormKind::none;
    layer.bias = true;
  }
}

void start_quantization(Model& model) {
  fold_all(model);
  model.quantized = true;
}

std::optional<bool> average_rounding(const Network& network) {
  for (const NetworkLayer& layer : network.layers) {
    if (layer.spec.pooling == ai8x::Pooling::average) return layer.spec.average_rounding;
  }
  return std::nullopt;
}

void set_average_rounding(Network& network, bool rounds) {
  for (NetworkLayer& layer : network.layers) layer.spec.average_rounding = rounds;
}

Maps from_planes(std::span<const float> values, int items, const MapShape& shape) {
  Maps maps(items, shape.size.h, shape.size.w, shape.c);
  const int64_t places = int64_t{shape.size.h} * shape.size.w;
  for (int item = 0; item < items; ++item) {
    const float* in = values.data() + item * maps.item_size();
    float* out = maps.values.data() + item * maps.item_size();
    for (int64_t c = 0; c < shape.c; ++c) {
      for (int64_t p = 0; p < places; ++p) out[p * shape.c + c] = in[c * places + p];
    }
  }
  return maps;
}

template <class T>
std::vector<T> to_planes(const MapsOf<T>& maps) {
  std::vector<T> values(maps.values.size());
  const int64_t places = int64_t{maps.h} * maps.w;
  for (int item = 0; item < maps.n; ++item) {
    const T* in = maps.values.data() + item * maps.item_size();
    T* out = values.data() + item * maps.item_size();
    for (int64_t c = 0; c < maps.c; ++c) {
      for (int64_t p = 0; p < places; ++p) out[c * places + p] = in[p * maps.c + c];
    }
  }
  return values;
}
template std::vector<float> to_planes(const Maps&);
template std::vector<int32_t> to_planes(const IntMaps&);

}  // namespace edgetwin::train

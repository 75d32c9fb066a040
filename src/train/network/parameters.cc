#include "train/network/parameters.h"

#include <cmath>

#include "train/math/functions.h"
#include "train/math/random.h"

namespace edgetwin::train {
namespace {

constexpr double kTwoPi = 6.28318530717958647692;

int taps(const LayerSpec& spec) { return spec.window.kernel.h * spec.window.kernel.w; }

// Uniform in [-limit, limit).
void fill(std::vector<float>& values, float limit, Random& random) {
  for (float& v : values) v = (2 * random.uniform() - 1) * limit;
}

void fill_normal(std::vector<float>& values, double deviation, Random& random) {
  for (float& v : values) {
    const double radius = std::sqrt(-2 * logarithm(1 - static_cast<double>(random.uniform())));
    v = static_cast<float>(deviation * radius *
                           cosine(kTwoPi * static_cast<double>(random.uniform())));
  }
}

}  // namespace

Shape weight_shape(const LayerSpec& spec) {
  const Window& w = spec.window;
  Shape shape = {w.first, w.second / w.groups};
  if (spec.op == ai8x::Operator::linear) return shape;
  shape.push_back(w.kernel.h);
  if (spec.op != ai8x::Operator::conv1d) shape.push_back(w.kernel.w);
  return shape;
}

void for_each_parameter(Model& model, const std::vector<LayerGradients>* gradients,
                        const std::function<void(const ParameterRef&)>& visit) {
  for (size_t i = 0; i < model.parameters.size(); ++i) {
    LayerParameters& p = model.parameters[i];
    if (p.weights.empty()) continue;
    const NetworkLayer& layer = model.network.layers[i];
    const LayerGradients* g = gradients == nullptr ? nullptr : &(*gradients)[i];
    const auto one = [&](const char* name, const Shape& shape, std::vector<float>& values,
                         const std::vector<float>* gradient) {
      if (!values.empty()) visit({layer.name + name, shape, &values, gradient});
    };
    const Shape channels = {layer.spec.out_channels()};
    one(".op.weight", weight_shape(layer.spec), p.weights, g ? &g->weights : nullptr);
    one(".op.bias", channels, p.bias, g ? &g->bias : nullptr);
    if (!p.norm) continue;
    one(".bn.weight", channels, p.norm->scale, g ? &g->norm.scale : nullptr);
    one(".bn.bias", channels, p.norm->offset, g ? &g->norm.offset : nullptr);
  }
}

void initialize(Model& model, uint64_t seed, InitKind kind,
                const std::map<std::string, InitKind>& others) {
  const size_t count = model.network.layers.size();
  model.parameters.assign(count, {});
  model.quantization.resize(count);
  for (size_t i = 0; i < count; ++i) {
    const NetworkLayer& layer = model.network.layers[i];
    if (!layer.spec.has_weights() || layer.owner >= 0) continue;
    const Window& w = layer.spec.window;
    LayerParameters& p = model.parameters[i];
    Random random(seed, Purpose::weights, i);
    p.weights.resize(w.weights());
    const auto channels = static_cast<size_t>(layer.spec.out_channels());
    // As PyTorch counts it, also of transposed weights: the second axis.
    const double fan_in = static_cast<double>(w.second / w.groups) * taps(layer.spec);
    const auto limit = static_cast<float>(1 / std::sqrt(fan_in));
    if (layer.bias) p.bias.assign(channels, 0.0F);
    const auto own = others.find(layer.name);
    const InitKind drawn = own == others.end() ? kind : own->second;
    if (drawn == InitKind::he_fan_out && layer.spec.op != ai8x::Operator::linear) {
      fill_normal(p.weights, std::sqrt(2.0 / (w.first * taps(layer.spec))), random);
    } else {
      fill(p.weights, limit, random);
      fill(p.bias, limit, random);
    }
    if (layer.norm == NormKind::none) continue;
    p.norm.emplace();
    p.norm->mean.assign(channels, 0.0F);
    p.norm->variance.assign(channels, 1.0F);
    if (layer.norm != NormKind::affine) continue;
    p.norm->scale.assign(channels, 1.0F);
    p.norm->offset.assign(channels, 0.0F);
  }
}

}  // namespace edgetwin::train

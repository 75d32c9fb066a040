#include "quantize.h"

#include <algorithm>
#include <cmath>
#include <cstddef>

namespace edgetwin::digits {
namespace {

struct Range {
  float low = 0.0f;  // zero is always inside: padding and ReLU must be exact
  float high = 0.0f;
};

std::vector<Range> calibrate(const Net& net, const PictureSet& pictures) {
  Tensors tensors = make_tensors(net);
  std::vector<Range> ranges(tensors.size());
  for (const Picture& picture : pictures) {
    forward(net, picture, tensors);
    for (std::size_t i = 0; i < tensors.size(); ++i) {
      const auto [low, high] = std::minmax_element(tensors[i].begin(), tensors[i].end());
      ranges[i].low = std::min(ranges[i].low, *low);
      ranges[i].high = std::max(ranges[i].high, *high);
    }
  }
  return ranges;
}

Quant quant_of(const Range& range) {
  if (range.high == range.low) return {1.0f, 0};
  Quant quant;
  quant.scale = (range.high - range.low) / 255.0f;
  const float zero = std::round(-128.0f - range.low / quant.scale);
  quant.zero_point = static_cast<int>(std::clamp(zero, -128.0f, 127.0f));
  return quant;
}

std::vector<Quant> choose_quants(const std::vector<Layer>& layers,
                                 const std::vector<Range>& ranges) {
  std::vector<Quant> quants{{1.0f / 255.0f, -128}};  // stored byte = grey value - 128
  for (std::size_t i = 0; i < layers.size(); ++i) {
    switch (layers[i].kind) {
      case Kind::kMaxPool:
      case Kind::kAveragePool:
      case Kind::kReshape:  // these move or compare stored values, so they keep their meaning
        quants.push_back(quants[static_cast<std::size_t>(layers[i].input)]);
        break;
      case Kind::kSoftmax:
        quants.push_back({1.0f / 256.0f, -128});
        break;
      default:
        quants.push_back(quant_of(ranges[i + 1]));
    }
  }
  return quants;
}

// The largest magnitude of one output channel (the innermost index in training) becomes 127.
std::vector<float> channel_scales(const Layer& layer, const std::vector<float>& weight) {
  std::vector<float> scales(static_cast<std::size_t>(layer.out.c), 0.0f);
  for (std::size_t i = 0; i < weight.size(); ++i) {
    float& scale = scales[i % scales.size()];
    scale = std::max(scale, std::abs(weight[i]));
  }
  if (layer.kind == Kind::kFullyConnected) {
    scales = {*std::max_element(scales.begin(), scales.end())};
  }
  // A channel of zeros may have any scale but zero.
  for (float& scale : scales) scale = (scale > 0.0f ? scale : 1.0f) / 127.0f;
  return scales;
}

std::int8_t quantize_weight(float weight, float scale) {
  return static_cast<std::int8_t>(std::clamp(std::round(weight / scale), -127.0f, 127.0f));
}

QuantizedWeights quantize_layer(const Layer& layer, const Parameters& parameters, Quant input) {
  QuantizedWeights result;
  result.scale = channel_scales(layer, parameters.weight);
  const auto channels = static_cast<std::size_t>(layer.out.c);
  const std::size_t rows = parameters.weight.size() / channels;  // [tap][in], or [tap]
  const bool rows_first = layer.kind == Kind::kDepthwise;
  result.weight.resize(parameters.weight.size());
  for (std::size_t row = 0; row < rows; ++row) {
    for (std::size_t c = 0; c < channels; ++c) {
      const std::size_t target = rows_first ? row * channels + c : c * rows + row;
      result.weight[target] = quantize_weight(parameters.weight[row * channels + c],
                                              result.scale[c % result.scale.size()]);
    }
  }
  for (const float scale : result.scale) result.bias_scale.push_back(input.scale * scale);
  for (std::size_t c = 0; c < channels; ++c) {
    const double scale = result.bias_scale[c % result.bias_scale.size()];
    const double steps = std::round(static_cast<double>(parameters.bias[c]) / scale);
    result.bias.push_back(
        static_cast<std::int32_t>(std::clamp(steps, -2147483647.0, 2147483647.0)));
  }
  return result;
}

std::vector<std::int32_t> file_dims(const Layer& layer) {
  const bool flat = layer.kind == Kind::kReshape || layer.kind == Kind::kFullyConnected ||
                    layer.kind == Kind::kSoftmax;
  if (flat) return {1, layer.out.c};
  return {1, layer.out.h, layer.out.w, layer.out.c};
}

}  // namespace

QuantizedNet quantize(const Net& net, const PictureSet& calibration) {
  QuantizedNet result;
  result.layers = net.layers;
  result.quants = choose_quants(net.layers, calibrate(net, calibration));
  result.dims.push_back({1, kSide, kSide, 1});
  for (std::size_t i = 0; i < net.layers.size(); ++i) {
    const Layer& layer = net.layers[i];
    result.dims.push_back(file_dims(layer));
    QuantizedWeights weights;
    if (layer.has_weights()) {
      weights = quantize_layer(layer, net.parameters[i],
                               result.quants[static_cast<std::size_t>(layer.input)]);
    }
    result.weights.push_back(std::move(weights));
  }
  return result;
}

}  // namespace edgetwin::digits

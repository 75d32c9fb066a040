// Random operands of one layer, the same for every implementation that is measured.
#pragma once

#include <cmath>
#include <cstdint>
#include <vector>

#include "base/rng.h"
#include "kernels/i8/conv.h"
#include "mobilenet.h"

namespace edgetwin::bench {

struct Operands {
  bool is_unsigned;
  std::vector<uint8_t> in, weights, depthwise_by_channel;
  std::vector<int32_t> bias;
  std::vector<float> weight_scales;
  std::vector<numerics::QuantizedMultiplier> multipliers;
  int32_t input_zero_point, weight_zero_point, output_zero_point, act_min, act_max;

  // A layer with ReLU6, as all of MobileNet's: the output's zero point is the lowest value.
  Operands(const ConvLayer& layer, bool is_unsigned_type)
      : is_unsigned(is_unsigned_type), in(layer.in_size()), weights(layer.weights_size()) {
    XorShift32 random(1);
    for (uint8_t& x : in) x = random.byte();
    for (uint8_t& w : weights) {
      w = random.byte();
      if (!is_unsigned && w == 0x80) w = 0x81;  // int8 weights are symmetric
    }
    input_zero_point = is_unsigned ? 3 : -125;
    weight_zero_point = is_unsigned ? 121 : 0;  // a model's own: not 128, so nothing cancels
    output_zero_point = act_min = is_unsigned ? 0 : -128;
    act_max = is_unsigned ? 255 : 127;
    const double taps = static_cast<double>(layer.weights_size()) / layer.window.out_c;
    const double scale = 1.0 / (40.0 * std::sqrt(taps * 80));
    for (int c = 0; c < layer.window.out_c; ++c) {
      // Per channel where the type has it.
      weight_scales.push_back(
          static_cast<float>(scale * (is_unsigned ? 1.0 : 1.0 + 0.01 * (c % 7))));
      bias.push_back(static_cast<int32_t>(random.next() % 2000) - 1000);
      multipliers.push_back(numerics::quantize_multiplier(
          weight_scales.back(), numerics::Requantization::double_rounding));
    }
    if (layer.depthwise) transpose(layer);
  }

  kernels::Conv8Spec spec(const ConvLayer& layer) const {
    kernels::Conv8Spec s;
    s.window = layer.window;
    s.depthwise = layer.depthwise;
    s.is_unsigned = is_unsigned;
    s.input_zero_point = input_zero_point;
    s.weight_zero_point = weight_zero_point;
    s.weights = weights.data();
    s.bias = bias.data();
    s.tail = {multipliers, output_zero_point, act_min, act_max,
              numerics::Requantization::double_rounding};
    return s;
  }

 private:
  // The peer wants depthwise weights as [channel, kernel_h, kernel_w].
  void transpose(const ConvLayer& layer) {
    const auto channels = static_cast<std::size_t>(layer.window.out_c);
    const std::size_t taps = weights.size() / channels;
    for (std::size_t c = 0; c < channels; ++c) {
      for (std::size_t t = 0; t < taps; ++t)
        depthwise_by_channel.push_back(weights[t * channels + c]);
    }
  }
};

}  // namespace edgetwin::bench

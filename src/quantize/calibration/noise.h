// What quantization costs, layer by layer: a quantized network against its float network.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace edgetwin::quantize {

struct ChannelNoise {
  int64_t channel = 0;
  double noise = 0.0;  // noise to signal of the channel alone
};

struct LayerNoise {
  std::string layer;   // label of the operator in the quantized network
  std::string name;    // of the operator in the float network
  std::string tensor;  // its output
  int bits = 8;
  int exponent = 0;
  // Power of the difference over power of the float values: of this layer alone, fed with float
  // values, and with all layers before it quantized too.
  // A layer whose operands the float network does not have has no number of its own.
  std::optional<double> alone;
  double accumulated = 0.0;
  double cosine = 1.0;              // of the accumulated one
  std::vector<ChannelNoise> worst;  // three at most, of the layer alone
};

struct Analysis {
  std::vector<LayerNoise> layers;
  // Of all outputs of the network together.
  double output_noise = 0.0, output_cosine = 1.0;
};

// Decibels of signal over noise.
double decibels(double noise_to_signal);

}  // namespace edgetwin::quantize

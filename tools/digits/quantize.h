// Post-training quantization to the int8 scheme of TFLite: symmetric weights per output channel
// (per tensor for the dense layer, which every runtime understands), asymmetric activations from
// the extremes of a calibration run.
#pragma once

#include <cstdint>
#include <vector>

#include "net.h"
#include "picture.h"
#include "topology.h"

namespace edgetwin::digits {

// real = scale * (q - zero_point)
struct Quant {
  float scale = 1.0f;
  int zero_point = 0;
};

// Weights in TFLite's order: convolution and dense [out][tap][in], depthwise [tap][channel].
struct QuantizedWeights {
  std::vector<std::int8_t> weight;
  std::vector<float> scale;  // one per output channel, or a single one
  std::vector<std::int32_t> bias;
  std::vector<float> bias_scale;  // as many as `scale`
};

struct QuantizedNet {
  std::vector<Layer> layers;
  std::vector<QuantizedWeights> weights;        // one per layer, empty where the layer has none
  std::vector<Quant> quants;                    // one per activation tensor; index 0 is the picture
  std::vector<std::vector<std::int32_t>> dims;  // shapes of the activation tensors in the file
};

QuantizedNet quantize(const Net& net, const PictureSet& calibration);

}  // namespace edgetwin::digits

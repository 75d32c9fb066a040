// The kernels and biases of a layer, fetched from where its registers say.
#pragma once

#include <cstdint>
#include <vector>

#include "targets/max78/machine/layers/core.h"

namespace edgetwin::max78 {

// Outputs of a convolution: for output o, tap row ky a stretch of `stride` weights, kx and channel
// within it. Depthwise: `taps` rows of one weight per channel.
struct LayerWeights {
  std::vector<int16_t> values;
  std::vector<int32_t> bias;    // per output, or per channel where depthwise
  std::vector<uint8_t> active;  // outputs that have kernels
  size_t stride = 0;
};

// False where the registers describe what no machine can hold; a finding says why.
bool fetch_weights(Core& core, const LayerConfig& c, LayerWeights& weights);

// Place of a processor's bias among those of its group in a depthwise layer.
int64_t depthwise_bias_index(const LayerConfig& c, int processor, int pass);

}  // namespace edgetwin::max78

// One layer in the integers of the chip, plain loops: what a quantized layer times 128 must equal.
// The twin that runs whole programs is targets/max78/simulate. Specification: training, 2.
#pragma once

#include <span>
#include <vector>

#include "train/layers/layer.h"

namespace edgetwin::train {

struct IntegerParameters {
  std::vector<int32_t> weights;
  std::vector<int32_t> bias;  // integers of the chip: stored values divided by 2^(bits - 1)
  int shift = 0;              // output shift of the checkpoint, without the 8 - bits of the chip
  int bits = 8;
};

// 8-bit outputs, or sums of 32 bits where the layer is wide. Inputs are -128 .. 127.
IntMaps integer_forward(const LayerSpec& spec, std::span<const IntMaps* const> sources,
                        const IntegerParameters& parameters, ThreadPool& pool);

}  // namespace edgetwin::train

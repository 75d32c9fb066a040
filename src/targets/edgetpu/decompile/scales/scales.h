// Scales of the tensors inside a network. A compiled model keeps only products of them; any scales
// whose products, computed in the chip's order in single precision, give the very multipliers and
// limits of the instructions make the same network. They are chosen here, simplest first.
#pragma once

#include <vector>

#include "graph/attrs.h"
#include "targets/edgetpu/decompile/operands/layer.h"
#include "targets/edgetpu/decompile/scales/scale_options.h"

namespace edgetwin::edgetpu {

struct TensorScale {
  float scale = 0.0F;  // 0: not decided
  int zero_point = 0;  // unsigned domain
  bool known = false;  // announced by the file or by the instruction itself, not chosen
};

struct Scales {
  std::vector<TensorScale> inputs;          // of the executable
  std::vector<TensorScale> layers;          // of their outputs
  std::vector<std::vector<float>> weights;  // by layer: one, or one per output
  std::vector<Activation> activations;      // by layer
  // Layers whose multiplier, weights of addition or limits are not reproduced to the last bit.
  std::vector<size_t> inexact;
};

Scales choose_scales(const Layers& layers, const darwinn::Executable& inference,
                     ScaleOptions options = {});

}  // namespace edgetwin::edgetpu

// Constants that go into the weights of the operator before.
#pragma once

#include "formats/onnx/import/importer.h"

namespace edgetwin::onnx {

// Add of one constant per channel after Conv or Gemm: true if it was taken into the bias.
Result<bool> fold_bias(Importer& m, const Node& n);

// BatchNormalization as factor and addend per channel.
struct ScaleShift {
  std::vector<float> scale, mean, shift;  // y = (x - mean) * scale + shift
};

// True if it was taken into the weights of the Conv or Gemm that makes input 0.
Result<bool> fold_batch_norm(Importer& m, const Node& n, const ScaleShift& s);

}  // namespace edgetwin::onnx

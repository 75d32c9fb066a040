// Batch normalization over pictures and places of each channel. Specification: training, 5.
#pragma once

#include <vector>

#include "train/engine/maps.h"

namespace edgetwin::train {

inline constexpr float kBatchNormMomentum = 0.05F;
inline constexpr float kBatchNormEpsilon = 1e-5F;

// The state of one layer. Without `affine` scale and offset are empty.
struct BatchNorm {
  std::vector<float> scale, offset;
  std::vector<float> mean, variance;  // running values
  int64_t batches = 0;                // seen so far
  bool affine() const { return !scale.empty(); }
};

// What the backward pass needs of a forward pass.
struct BatchNormTape {
  std::vector<float> mean, inverse;  // used, 1 / sqrt(variance + epsilon)
  bool batch = false;                // these are the batch's own
};

// Replaces `values` by its normalized form. `training`: by the statistics of the batch (biased
// variance), and the running values take 5 % of them (unbiased variance); else by the running
// values. Sums are binary64, per chunk, then in the order of the chunks.
BatchNormTape normalize(Maps& values, BatchNorm& state, bool training, ThreadPool& pool);

struct BatchNormGradients {
  std::vector<float> scale, offset;
};

// Replaces the gradient of the output by that of the input. `input` is what `normalize` was given.
BatchNormGradients normalize_gradient(const Maps& input, Maps& gradient, const BatchNorm& state,
                                      const BatchNormTape& tape, ThreadPool& pool);

}  // namespace edgetwin::train

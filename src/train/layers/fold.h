// Batch norm folded into the weights at the start of quantization-aware training, with the division
// by 4 that follows it, if one does. Specification: training, 5.
#pragma once

#include "train/layers/layer.h"

namespace edgetwin::train {

inline constexpr float kOfflineEpsilon = 1e-20F;  // of the vendor's separate tool

// Removes the normalization from `parameters`; nothing without one. `window` tells which axis of
// the weights counts output channels; `part` is what follows the normalization as a factor.
void fold_batch_norm(LayerParameters& parameters, const Window& window, bool transposed,
                     float epsilon = kBatchNormEpsilon, float part = kNormPart);

}  // namespace edgetwin::train

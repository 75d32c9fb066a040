// The loss of single-shot detectors: boxes by regression against priors, classes with the hardest
// negatives. Specification: training, 11.
#pragma once

#include <array>
#include <vector>

#include "train/losses/losses.h"

namespace edgetwin::train {

using Box = std::array<float, 4>;

struct Objects {
  std::vector<Box> boxes;       // left, top, right, bottom in 0..1
  std::vector<int64_t> labels;  // 0 is background
};

struct MultiboxOptions {
  double alpha = 1;  // weight of the location
  int neg_pos_ratio = 3;
  double overlap_threshold = 0.5;
};

struct Multibox {
  double loss = 0;
  Maps location_gradient, score_gradient;
};

// `location` (pictures, priors, 1, 4), `scores` (pictures, priors, 1, classes), `priors`: centre
// and size. `objects`: of each picture.
Multibox multibox(const Maps& location, const Maps& scores, const std::vector<Box>& priors,
                  const std::vector<Objects>& objects, const MultiboxOptions& options);

}  // namespace edgetwin::train

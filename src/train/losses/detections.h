// Boxes of a single-shot detector: priors of a grid, and what its outputs find. Specification:
// training, 11.
#pragma once

#include <array>
#include <vector>

#include "train/losses/multibox.h"

namespace edgetwin::train {

// Width and height of a prior, in parts of the picture.
using PriorSize = std::array<float, 2>;

// Priors (centre and size) about the middle of each place of a grid, row by row; at each place one
// of each size.
std::vector<Box> grid_priors(int rows, int columns, const std::vector<PriorSize>& sizes);

struct DetectionOptions {
  double min_score = 0.05;    // of the soft-max
  double max_overlap = 0.45;  // of two boxes of a class: of those above, the best one stays
  int top_k = 100;            // of a picture
};

struct Detection {
  Box box{};          // left, top, right, bottom in 0..1
  int64_t label = 0;  // 0 is background and never found
  double score = 0;
};

// Common area of two boxes (corners) over the area of both.
double overlap_of(const Box& a, const Box& b);

// What one picture's outputs find, the best first. `location`: 4 numbers of each prior, `scores`:
// `classes` of each prior, the first one of the background.
std::vector<Detection> detections(const float* location, const float* scores, int classes,
                                  const std::vector<Box>& priors, const DetectionOptions& options);

// Outputs of a layer with the channels (prior, number) at each place, as `location` and `scores`
// have them: 4 numbers, then those of the classes.
struct HeadOutputs {
  Maps location, scores;  // (pictures, priors, 1, 4), (pictures, priors, 1, classes)
};
HeadOutputs split_head(const Maps& outputs, int priors_of_place);
// The gradient of the outputs from those of both parts.
Maps joined_head(const Maps& location, const Maps& scores, const Maps& outputs);

}  // namespace edgetwin::train

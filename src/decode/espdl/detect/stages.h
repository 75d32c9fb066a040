// What the detectors with maps of several strides share.
#pragma once

#include <array>
#include <vector>

#include "decode/espdl/core/nms.h"
#include "decode/espdl/core/outputs.h"
#include "decode/espdl/detect/defaults.h"
#include "decode/espdl/detect/detect.h"

namespace edgetwin::espdl_decode {

inline constexpr std::array kStrides = {8, 16, 32};

struct Stage {
  int stride = 8;
  Map box, score;
};

// `boxes` and `scores` are the names without number, of as many stages as `strides`. Error:
// decode_maps.
Result<std::vector<Stage>> stages_of(std::span<const Tensor> outputs, const std::string& boxes,
                                     const std::string& scores, int64_t box_channels,
                                     std::span<const int> strides);

// Σ p_i i of a softmax over `count` values from `first` of a cell, in single precision.
float expected_distance(const Map& map, int64_t cell, int64_t first, int64_t count);

// Left, top, right, bottom of a cell by four such sums of `count` values each.
std::array<float, 4> distances(const Map& map, int64_t cell, int64_t count);

struct Limits {
  float score, nms;
  int most;
};
// What P.json gives goes before the defaults of a detector.
Limits limits_of(const Params& params, const Defaults& defaults);

// The box around a cell's centre, cut off to whole pixels of the picture.
std::array<int, 4> placed_box(const std::array<float, 4>& distance, int64_t x, int64_t y,
                              int stride, const espdl_image::Placement& placement);

// Boxes of distances by DFL of 16 values, scores by sigmoid: the common part of yolo11, its poses
// and its masks, before suppression, sorted.
Result<std::vector<Detection>> dfl_candidates(const std::vector<Stage>& stages,
                                              const Params& params,
                                              const espdl_image::Placement& placement,
                                              float score_threshold);

}  // namespace edgetwin::espdl_decode

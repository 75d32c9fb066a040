// A picture as the input of a network, bit for bit as ESP-DL's runtime 3.3.9 makes it
// (docs/espdl-image.md). The definition is the runtime's portable code; 83 of its results are
// compared in tests/golden/espdl_image_test.cc.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/finding.h"
#include "base/result.h"
#include "image/espdl/geometry.h"
#include "image/espdl/params.h"
#include "tensor/tensor.h"

namespace edgetwin::espdl_image {

struct Preprocessed {
  // (rows, columns, elements per pixel): int8 or int16 with an exponent for quantized targets, else
  // uint8.
  Tensor tensor;
  // Numbers of the geometry by name, in order: scale_x, scale_y; with a letterbox also border_left,
  // border_top, inv_scale_x, inv_scale_y; resize_scale of ocr_det; aspect, crop_h, crop_w of
  // ocr_rec.
  std::vector<std::pair<std::string, double>> geometry;
  // How a transform without a map lies in the target, for decoders.
  std::optional<Placement> placement;
  // What differs on the chip or is suspicious; rules IMG-*.
  std::vector<Finding> findings;
};

// `picture`: uint8 of (rows, columns, bytes per pixel of params.source); a picture of one channel
// stands for r = g = b where the source is rgb888, as decoders of grey PNG files give it.
// Errors: IMG-PARAM-01, IMG-CHIP-01 where the chip would abort, out_of_memory.
Result<Preprocessed> preprocess(const Tensor& picture, const Params& params);

}  // namespace edgetwin::espdl_image

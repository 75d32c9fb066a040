// Boxes drawn on a picture.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "base/result.h"
#include "decode/detection.h"
#include "tensor/tensor.h"

namespace edgetwin::decode {

// The colour of a class: neighbouring numbers are far apart, and the same number always has the
// same.
std::array<uint8_t, 3> class_color(int class_index);

// A copy of `picture` (uint8, height x width x 3) with a frame for each box and "name 0.87" above
// it, or inside where there is no room. The first of `boxes` is drawn last, on top. Error:
// decode_maps for other pictures.
Result<Tensor> draw_detections(const Tensor& picture, const std::vector<Detection>& boxes);

// A copy of `picture` with lines of text on dark ground in its upper left corner. Error: as above.
Result<Tensor> draw_lines(const Tensor& picture, const std::vector<std::string>& lines);

}  // namespace edgetwin::decode

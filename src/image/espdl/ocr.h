// The inputs of PP-OCR's two networks, which have a scaling of their own: bilinear for the
// detector, a perspective map with cubic weights for the recognizer.
#pragma once

#include <array>

#include "image/espdl/preprocess.h"

namespace edgetwin::espdl_image {

struct PointF {
  float x = 0.0F, y = 0.0F;
};

// Four corners as left upper, right upper, right lower, left lower: the first has the smallest
// x + y, the third the largest; of the two others the second is that with y - x not larger.
std::array<PointF, 4> ordered_corners(const std::array<PointF, 4>& corners);

// Of a text's ordered corners: the longer of the upper and lower edge over the longer of the left
// and right one; inverted where the text stands upright (height / width >= 1.5).
float text_aspect(const std::array<PointF, 4>& corners);

// `source` in the bytes of params.source, which is a colour. Errors: IMG-PARAM-01,
// IMG-CHIP-01, out_of_memory.
Result<Preprocessed> ocr_detector_input(const Tensor& source, const Params& params);
Result<Preprocessed> ocr_recognizer_input(const Tensor& source, const Params& params);

}  // namespace edgetwin::espdl_image

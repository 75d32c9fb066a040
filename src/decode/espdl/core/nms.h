// Order and suppression of boxes as ESP-DL's post-processors do them.
#pragma once

#include <vector>

#include "decode/espdl/core/params.h"
#include "decode/espdl/core/result.h"

namespace edgetwin::espdl_decode {

// By falling score; equal scores keep their order.
void sort_by_score(std::vector<Detection>& detections);

// Without regard to classes, on whole pixels: walks the list, at the `most`-th box drops everything
// after it without comparing, before that drops every later box whose overlap is larger than
// `threshold`. Areas count both edges: (x2 - x1 + 1)(y2 - y1 + 1).
void suppress(std::vector<Detection>& detections, float threshold, int most);

// Boxes and key points into 0 … width - 1 and 0 … height - 1.
void limit_to_picture(std::vector<Detection>& detections, Size picture);

}  // namespace edgetwin::espdl_decode

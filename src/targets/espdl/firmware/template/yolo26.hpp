// Boxes of YOLO26, which esp-dl's library does not read.
#pragma once

#include "vision.hpp"

namespace check {

// "boxes" of class, x1, y1, x2, y2 in pixels of the network's input; "scores", "count". `most`: the
// best ones, where more exceed the score.
std::unique_ptr<Post> yolo26(dl::Model* model, float score, int most);

}  // namespace check

// Boxes from the output maps of YOLO26. The network has a head that gives one box per object, so
// nothing is suppressed afterwards.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "decode/detection.h"
#include "tensor/tensor.h"

namespace edgetwin::decode {

// Where a picture lies in the network's input, in pixels of the input; the rest is border.
struct Placement {
  double left = 0.0, top = 0.0, width = 0.0, height = 0.0;
};

struct Yolo26Options {
  double threshold = 0.25;  // boxes with a lower score are left out
  int most = 300;           // boxes at most
  // The network's input, in pixels.
  int input_width = 0;
  int input_height = 0;
  // The picture whose pixels the boxes are in; 0 by 0: the input itself.
  int picture_width = 0;
  int picture_height = 0;
  Placement placement;  // width 0: the picture was resized to fill the input
  // Class names; where absent, COCO's if there are 80 classes, else numbers.
  std::vector<std::string> names;
};

// `maps`: for each scale a box map (1 x) H x W x 4 and a class map (1 x) H x W x C of equal H and
// W, in any order; H and W tell the scales apart. Integers of up to 32 bits with one exponent, or
// float32. Where C is 4 the names must have "box" or "reg" in them, and "cls", "class" or "score".
//
// The stride of a scale is input size / map size. The four numbers of cell (x, y) are the distances
// from its centre (x + 0.5, y + 0.5) to the left, top, right and bottom edge, in strides; class
// numbers are logits. Score = 1 / (1 + exp(-logit)).
//
// The `most` cells with the best class are kept, then of all classes of these cells the `most`
// best. Sorted by logit, largest first; equal ones by scale (largest map first), cell (row by row),
// class. Boxes are cut at the border of the picture; those of which nothing is left are dropped.
// Error: decode_maps.
Result<std::vector<Detection>> decode_yolo26(std::span<const Tensor> maps,
                                             const Yolo26Options& options);

}  // namespace edgetwin::decode

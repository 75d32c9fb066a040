// What detectors give: boxes with classes.
#pragma once

#include <string>
#include <vector>

namespace edgetwin::decode {

struct Detection {
  int class_index = 0;
  std::string name;    // of the class; its number where names are not known
  double score = 0.0;  // 0 to 1
  // Corners in pixels of the picture, left, top, right, bottom; within it.
  double x0 = 0.0, y0 = 0.0, x1 = 0.0, y1 = 0.0;
  bool operator==(const Detection&) const = default;
};

}  // namespace edgetwin::decode

// Geometry of texts on the chip: smallest rectangles and grown outlines, all in single precision.
#pragma once

#include <array>
#include <vector>

#include "image/espdl/ocr.h"

namespace edgetwin::espdl_decode {

using espdl_image::PointF;
using Corners = std::array<PointF, 4>;

struct Rectangle {
  Corners corners;
  float short_side = 0.0F;
};

// The smallest rectangle around the points, tried along every edge of their hull, the first of
// equal ones. Corners are ordered. `points` is not empty.
Rectangle smallest_rectangle(std::vector<PointF> points);

// Area by half the sum of cross products, signed.
float signed_area(const Corners& corners);

// The outline of the rectangle grown by area * ratio / perimeter, with round corners in steps of at
// most 15 degrees. Empty where the perimeter or the area is 0.
std::vector<PointF> grown_outline(const Corners& corners, float ratio);

}  // namespace edgetwin::espdl_decode

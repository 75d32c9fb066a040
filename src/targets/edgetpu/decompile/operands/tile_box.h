// Which positions of a picture each of the 4 x 4 tiles has.
#pragma once

#include "targets/edgetpu/decompile/operands/layer.h"

namespace edgetwin::edgetpu {

// Rows [y0, y1), columns [x0, x1).
struct TileBox {
  int y0, y1, x0, x1;
  size_t positions() const { return static_cast<size_t>(y1 - y0) * static_cast<size_t>(x1 - x0); }
};

inline TileBox box_of(const Extent2D& e, int tile) {
  constexpr int kGrid = 4;
  const auto border = [](int size, int k) { return (size * k + kGrid - 1) / kGrid; };
  return {border(e.h, tile / kGrid), border(e.h, tile / kGrid + 1), border(e.w, tile % kGrid),
          border(e.w, tile % kGrid + 1)};
}

}  // namespace edgetwin::edgetpu

// What the bands of a layer measure, where the compiler cut its picture into several.
#pragma once

#include <utility>

#include "targets/edgetpu/decompile/sizes/sizes.h"

namespace edgetwin::edgetpu {

// What bands measure: of the first one, whether all are as wide or as high, and their sums.
struct BandExtents {
  std::pair<int64_t, int64_t> first{0, 0};
  int64_t width = 0, height = 0;
  bool same_width = true, same_height = true;
};

BandExtents band_extents(const DecompiledLayer& l, const SizeContext& context);

// Columns of the four tiles of the first row, if all are to be seen.
int64_t width_of_tiles(const DecompiledLayer& l, const SizeContext& context, bool depthwise);

}  // namespace edgetwin::edgetpu

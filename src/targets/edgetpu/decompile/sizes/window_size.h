// The output size of a layer whose window moves over its input, chosen among the candidates by how
// many positions all tiles compute together.
#pragma once

#include "targets/edgetpu/decompile/sizes/sizes.h"

namespace edgetwin::edgetpu {

// Counted over the instructions of a layer.
struct PositionTotal {
  int64_t pixels = 0;    // over all tiles and instructions
  int64_t largest = 0;   // of one tile
  int64_t width = 0;     // of the first band, where columns are to be seen
  int64_t channels = 0;  // over all tiles
};

// False: no candidate fits.
bool size_window(DecompiledLayer& l, const SizeContext& context, const PositionTotal& total);

}  // namespace edgetwin::edgetpu

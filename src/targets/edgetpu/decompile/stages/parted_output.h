// Outputs that leave the chip in parts.
#pragma once

#include "formats/darwinn/darwinn.h"
#include "targets/edgetpu/decompile/stages/narrow_memory.h"

namespace edgetwin::edgetpu {

// Whether it leaves in several transfers, so that each tile's words are in several places.
inline bool leaves_in_parts(const darwinn::Layer& output) {
  return output.layout && output.layout->tile_offset.size() > kTiles;
}

}  // namespace edgetwin::edgetpu

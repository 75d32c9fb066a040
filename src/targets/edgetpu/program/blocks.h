// Which parts of the parameters a program sends where.
#pragma once

#include <cstdint>
#include <vector>

#include "formats/darwinn/darwinn.h"

namespace edgetwin::edgetpu {

struct ParameterBlock {
  uint64_t offset = 0;   // in the parameters
  uint64_t size = 0;     // up to the next block, or the end
  uint32_t tiles = 0;    // mask of the tiles that receive it
  int64_t address = -1;  // line in the memory of the tile; -1: not known
  size_t chunk = 0, word = 0;
};

// By offset. Of a parameter-caching program all blocks; of others those whose two offset fields
// agree, which tells them from transfers of activations by the same engine.
std::vector<ParameterBlock> parameter_blocks(const darwinn::Executable& executable);

}  // namespace edgetwin::edgetpu

// Which parameters a parameter-caching program leaves where on the chip.
#pragma once

#include <map>
#include <utility>
#include <vector>

#include "formats/darwinn/darwinn.h"

namespace edgetwin::edgetpu {

// A run of parameters, from one load to the next.
struct BlockPlace {
  bool cached = true;  // of the parameter-caching executable; else of the program's own
  size_t offset = 0;
  size_t bytes = 0;
  uint32_t tiles = 0;
  bool operator==(const BlockPlace&) const = default;
};

// Which parameters wait where on the chip.
struct Resident {
  std::vector<BlockPlace> blocks;  // ascending
  // (tile, line) -> index of the block.
  std::map<std::pair<int, int64_t>, size_t> at;
};
Resident resident_blocks(const darwinn::Executable& caching);

}  // namespace edgetwin::edgetpu

// Who wrote which word of the tiles' narrow memory last.
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <vector>

#include "targets/edgetpu/decompile/origin.h"

namespace edgetwin::edgetpu {

// What is known of a word.
struct Cell {
  Owner owner = kInput;
  uint32_t value = 0;  // of a constant; of streamed parameters their place
  Origin origin{kInput, -1};
};

struct Narrow {
  std::array<std::vector<Cell>, kTiles> tiles;
  Narrow() {
    for (auto& t : tiles) t.resize(kNarrowWords);
  }
  Cell& at(size_t tile, int64_t word) { return tiles[tile][static_cast<size_t>(word)]; }
  const Cell& at(size_t tile, int64_t word) const { return tiles[tile][static_cast<size_t>(word)]; }
};

template <class Visit>
void each_tile(uint32_t mask, Visit&& visit) {
  for (; mask != 0; mask &= mask - 1) visit(static_cast<size_t>(std::countr_zero(mask)));
}

}  // namespace edgetwin::edgetpu

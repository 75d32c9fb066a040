// Who wrote which word of the tiles' narrow memory last.
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <vector>

#include "targets/edgetpu/isa/nest.h"

namespace edgetwin::edgetpu {

// Owner of a word: kUnknown, kInput, kConstant, kStreamed, or kFirstStage + index of a stage.
using Owner = int32_t;
inline constexpr Owner kUnknown = 0;
inline constexpr Owner kInput = 1;     // of the executable, whichever
inline constexpr Owner kConstant = 2;  // a fill of the mesh
inline constexpr Owner kStreamed = 3;  // parameters that came with the input
inline constexpr Owner kFirstStage = 4;

struct OwnedWord {
  Owner owner = kInput;
  uint32_t value = 0;  // of a constant; of streamed parameters their place
};

struct Narrow {
  std::array<std::vector<OwnedWord>, kTiles> tiles;
  Narrow() {
    for (auto& t : tiles) t.resize(kNarrowWords);
  }
  OwnedWord& at(size_t tile, int64_t word) { return tiles[tile][static_cast<size_t>(word)]; }
  const OwnedWord& at(size_t tile, int64_t word) const {
    return tiles[tile][static_cast<size_t>(word)];
  }
};

template <class Visit>
void each_tile(uint32_t mask, Visit&& visit) {
  for (; mask != 0; mask &= mask - 1) visit(static_cast<size_t>(std::countr_zero(mask)));
}

}  // namespace edgetwin::edgetpu

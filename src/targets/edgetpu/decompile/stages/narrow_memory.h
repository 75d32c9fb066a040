// Who wrote which word of the tiles' narrow memory last.
#pragma once

#include <array>
#include <bit>
#include <compare>
#include <cstdint>
#include <vector>

#include "targets/edgetpu/isa/nest.h"

namespace edgetwin::edgetpu {

// Owner of a word: kUnknown, kInput, kConstant, kStreamed, kResident, or kFirstStage + index of a
// stage.
using Owner = int32_t;
inline constexpr Owner kUnknown = 0;
inline constexpr Owner kInput = 1;     // of the executable, whichever
inline constexpr Owner kConstant = 2;  // a fill of the mesh
inline constexpr Owner kStreamed = 3;  // parameters that came with the input
inline constexpr Owner kResident = 4;  // parameters that wait on the chip, read as data
inline constexpr Owner kFirstStage = 5;

// Which of the owner's words it is: channels 4 * word and three more of a pixel. The owner may also
// be -1 - index of an input of the executable; owners of copied words are those of what was copied.
struct Origin {
  Owner owner = kUnknown;
  int32_t word = -1;  // not known
  auto operator<=>(const Origin&) const = default;
};

struct OwnedWord {
  Owner owner = kInput;
  uint32_t value = 0;  // of a constant; of parameters their place
  Origin origin{kInput, -1};
  int32_t trace = -1;  // node of Traces; -1: not followed
  // Where it was computed, tile * kNarrowWords + word; copies keep it. -1: it was not.
  int32_t born = -1;
  // Who computed it, or the input that it came from: a stage, or -1 - index of an input.
  Owner maker = kUnknown;

  OwnedWord() = default;
  OwnedWord(Owner o, uint32_t v) : owner(o), value(v), origin{o, -1} {}
  OwnedWord(Owner o, uint32_t v, Origin from, int32_t node)
      : owner(o), value(v), origin(from), trace(node) {}
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

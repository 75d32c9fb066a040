// What the tiles read as one operand of a layer, joined over its instructions.
#pragma once

#include <array>
#include <optional>
#include <vector>

#include "targets/edgetpu/decompile/places/made_places.h"

namespace edgetwin::edgetpu {

// A word of a picture that is read.
struct ViewWord {
  enum class Kind : uint8_t { unread, constant, word } kind = Kind::unread;
  PictureWord word;
  int32_t constant = 0;  // four bytes
  bool operator==(const ViewWord&) const = default;
};

// What a word holds that was made there; nothing: it is not known where.
std::optional<ViewWord> view_word(const MadeAt& made, MadePlaces& places);

struct TileReads {
  size_t step = 0;              // the first of the instructions
  std::vector<int32_t> words;   // ascending; empty: the tile reads nothing
  std::vector<ViewWord> found;  // there
};

using LayerReads = std::array<TileReads, kTiles>;

// Each tile has one instruction, or several that read the same: parts of the channels. `operand`:
// of Stage::reads. Nothing: others, or words of which it is not known where they were made.
std::optional<LayerReads> layer_reads(const LayerSearch& search, const DecompiledLayer& layer,
                                      size_t operand, MadePlaces& places);

}  // namespace edgetwin::edgetpu

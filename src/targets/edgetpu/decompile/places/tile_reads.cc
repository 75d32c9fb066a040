#include "targets/edgetpu/decompile/places/tile_reads.h"

#include <algorithm>

namespace edgetwin::edgetpu {
std::optional<ViewWord> view_word(const MadeAt& made, MadePlaces& places) {
  ViewWord w;
  if (made.maker == kConstant) {
    w.kind = ViewWord::Kind::constant;
    w.constant = made.born;
    return w;
  }
  const auto at = places.at(made);
  if (!at) return std::nullopt;
  w.kind = ViewWord::Kind::word;
  w.word = *at;
  return w;
}

namespace {

bool add(TileReads& tile, const StepReads& r, const std::vector<MadeAt>& made, MadePlaces& places) {
  if (!tile.words.empty()) return tile.words == r.words;
  tile.step = r.step;
  tile.words = r.words;
  tile.found.reserve(made.size());
  for (const MadeAt& m : made) {
    const auto w = view_word(m, places);
    if (!w) return false;
    tile.found.push_back(*w);
  }
  return tile.found.size() == tile.words.size();
}

}  // namespace

std::optional<LayerReads> layer_reads(const LayerSearch& search, const DecompiledLayer& layer,
                                      size_t operand, MadePlaces& places) {
  LayerReads tiles;
  for (const size_t s : layer.stages) {
    const Stage& stage = search.stages()[s];
    if (operand >= stage.reads.size()) return std::nullopt;
    for (const StepReads& r : stage.reads[operand]) {
      for (const auto& [tile, made] : r.made) {
        if (!add(tiles[tile], r, made, places)) return std::nullopt;
      }
    }
  }
  const bool any = std::ranges::any_of(tiles, [](const TileReads& t) { return !t.words.empty(); });
  return any ? std::optional(std::move(tiles)) : std::nullopt;
}

}  // namespace edgetwin::edgetpu

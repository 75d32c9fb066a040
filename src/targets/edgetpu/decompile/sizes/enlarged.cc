#include "targets/edgetpu/decompile/sizes/enlarged.h"

#include <map>
#include <set>

#include "targets/edgetpu/decompile/operands/tile_box.h"
#include "targets/edgetpu/decompile/stages/replay_bounds.h"

namespace edgetwin::edgetpu {
namespace {

// A word of a tile to the position whose first word it is.
struct Position {
  int y = 0, x = 0;
  bool operator==(const Position&) const = default;
};
using Places = std::map<int32_t, Position>;  // by tile * kNarrowWords + word

int64_t words_of(const Extent2D& size) { return (int64_t{size.c} + 3) / 4; }

// The words that a stage writes in each tile, ascending: positions, row after row.
std::map<size_t, std::set<int64_t>> written_by(const LayerSearch& search, const Stage& stage) {
  std::map<size_t, std::set<int64_t>> words;
  for (const size_t step : stage.steps) {
    const Nest& nest = search.result.replay.steps.nest(step);
    if (nest.out.count() > kMostTraced) return {};
    each_tile(nest.tiles, [&](size_t tile) {
      walk(nest.out, nest.out.count(), [&](int64_t a) { words[tile].insert(a / 4); });
    });
  }
  return words;
}

Places places_of(const LayerSearch& search, const DecompiledLayer& producer) {
  Places places;
  const int64_t pixel = words_of(producer.out);
  for (const size_t s : producer.stages) {
    for (const auto& [tile, words] : written_by(search, search.stages()[s])) {
      const TileBox box = box_of(producer.out, static_cast<int>(tile));
      // Something else on the way to the picture.
      if (words.size() != box.positions() * static_cast<size_t>(pixel)) continue;
      int64_t n = 0;
      for (const int64_t word : words) {
        const auto p = static_cast<int>(n / pixel);
        const int columns = box.x1 - box.x0;
        const int64_t place = static_cast<int64_t>(tile) * kNarrowWords + word;
        if (n++ % pixel != 0) continue;
        places[static_cast<int32_t>(place)] = {box.y0 + p / columns, box.x0 + p % columns};
      }
    }
  }
  return places;
}

// Whether each position of a picture of `size` is the nearest one of `from`.
bool is_nearest(const std::map<size_t, std::vector<int32_t>>& born, const Places& places,
                const Extent2D& from, const Extent2D& size) {
  for (int tile = 0; tile < static_cast<int>(kTiles); ++tile) {
    const TileBox box = box_of(size, tile);
    if (box.positions() == 0) continue;
    const auto read = born.find(static_cast<size_t>(tile));
    const auto pixel = static_cast<size_t>(words_of(from));
    if (read == born.end() || read->second.size() != box.positions() * pixel) return false;
    auto place = read->second.begin();
    for (int y = box.y0; y < box.y1; ++y) {
      for (int x = box.x0; x < box.x1; ++x, place += static_cast<long>(pixel)) {
        const auto found = places.find(*place);
        const Position nearest{static_cast<int>(int64_t{y} * from.h / size.h),
                               static_cast<int>(int64_t{x} * from.w / size.w)};
        if (found == places.end() || !(found->second == nearest)) return false;
      }
    }
  }
  return true;
}

}  // namespace

void enlarge_operand(const LayerSearch& search, DecompiledLayer& layer, const Extent2D& first,
                     const Extent2D& second) {
  if (layer.stages.size() != 1) return;
  const bool second_smaller = int64_t{second.h} * second.w < int64_t{first.h} * first.w;
  const Extent2D& small = second_smaller ? second : first;
  const Extent2D& large = second_smaller ? first : second;
  if (int64_t{small.h} * small.w <= 1 || (small.h == large.h && small.w == large.w)) return;
  if (small.h > large.h || small.w > large.w) return;
  Operand& operand = layer.inputs[second_smaller ? 1 : 0];
  const auto& born = search.stages()[layer.stages.front()].born;
  if (operand.from.size() != 1 || operand.from[0] < 0 || born.size() != 2) return;
  const auto& producer = search.result.layers[static_cast<size_t>(operand.from[0])];
  const Places places = places_of(search, producer);
  if (!is_nearest(born[second_smaller ? 1 : 0], places, small, large)) return;
  operand.height = large.h;
  operand.width = large.w;
}

}  // namespace edgetwin::edgetpu

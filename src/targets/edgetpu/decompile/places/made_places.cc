#include "targets/edgetpu/decompile/places/made_places.h"

#include <algorithm>
#include <array>

#include "targets/edgetpu/decompile/operands/tile_box.h"
#include "targets/edgetpu/decompile/stages/replay_bounds.h"
#include "targets/edgetpu/decompile/stages/word_walks.h"

namespace edgetwin::edgetpu {
namespace {

int32_t place_of(size_t tile, int64_t word) {
  return static_cast<int32_t>(static_cast<int64_t>(tile) * kNarrowWords + word);
}

struct Span {
  int64_t first = 0, last = 0;
};

// Whether one part lies after the other, as bands of rows do: their places do not tell their order.
// Parts of the channels or columns take turns.
bool lie_apart(std::vector<Span> parts) {
  std::ranges::sort(parts, {}, &Span::first);
  int64_t last = parts.empty() ? 0 : parts.front().last;
  for (const Span& s : parts) {
    if (s.first > last) return true;
    last = std::max(last, s.last);
  }
  return false;
}

// All words that a layer's instructions write. Empty: too many, or a tile's picture is written in
// bands. Parts of a single position are parts of its channels.
std::vector<int32_t> words_written(const LayerSearch& search, const DecompiledLayer& layer) {
  std::vector<int32_t> words;
  std::array<std::vector<Span>, kTiles> parts;
  std::array<int64_t, kTiles> count{};
  for (const size_t step : layer.steps) {
    const Nest& nest = search.result.replay.steps.nest(step);
    if (nest.out.count() > kMostWords) return {};
    const std::vector<int64_t> touched = touched_words(nest.out);
    if (touched.empty()) continue;
    const auto [least, most] = std::ranges::minmax(touched);
    each_tile(nest.tiles, [&](size_t tile) {
      for (const int64_t w : touched) words.push_back(place_of(tile, w));
      parts[tile].push_back({least, most});
      count[tile] += static_cast<int64_t>(touched.size());
    });
  }
  const int64_t pixel = (int64_t{layer.out.c} + 3) / 4;
  for (size_t tile = 0; tile < kTiles; ++tile) {
    if (count[tile] > pixel && lie_apart(parts[tile])) return {};
  }
  return words;
}

}  // namespace

Extent2D MadePlaces::extent(Producer p) const {
  if (p >= 0) return search_.result.layers[static_cast<size_t>(p)].out;
  const auto index = static_cast<size_t>(-1 - p);
  if (index >= search_.inference.inputs.size()) return {0, 0, 0};
  const darwinn::Layer& l = search_.inference.inputs[index];
  return {l.y_dim, l.x_dim, l.z_dim};
}

// In each tile its part of the picture: positions row after row, the words of each together.
MadePlaces::Places MadePlaces::of_words(const Extent2D& e, std::vector<int32_t> words) {
  Places places;
  constexpr int kMost = 65536;
  const bool real = e.h > 0 && e.w > 0 && e.c > 0 && e.h <= kMost && e.w <= kMost && e.c <= kMost;
  if (!real) return {};
  const int64_t pixel = (int64_t{e.c} + 3) / 4;
  std::sort(words.begin(), words.end());
  words.erase(std::unique(words.begin(), words.end()), words.end());
  auto word = words.begin();
  for (int tile = 0; tile < static_cast<int>(kTiles); ++tile) {
    const TileBox box = box_of(e, tile);
    const auto end =
        std::lower_bound(word, words.end(), place_of(static_cast<size_t>(tile) + 1, 0));
    if (end - word != static_cast<int64_t>(box.positions()) * pixel) return {};
    for (int y = box.y0; y < box.y1; ++y) {
      for (int x = box.x0; x < box.x1; ++x) {
        for (int64_t k = 0; k < pixel; ++k) {
          places[*word++] = static_cast<int32_t>((int64_t{y} * e.w + x) * pixel + k);
        }
      }
    }
  }
  return places;
}

// The greatest of all windows, of which copies take those that the stride wants.
MadePlaces::Places MadePlaces::of_strides(const DecompiledLayer& l,
                                          const std::vector<int32_t>& words) const {
  const int64_t pixel = (int64_t{l.out.c} + 3) / 4;
  Places strided;
  for (const auto& [place, number] : of_words({l.in.h, l.in.w, l.out.c}, words)) {
    const int64_t position = number / pixel;
    const int64_t y = position / l.in.w, x = position % l.in.w;
    const bool taken = y % l.stride_h == 0 && x % l.stride_w == 0 && y / l.stride_h < l.out.h &&
                       x / l.stride_w < l.out.w;
    if (!taken) continue;
    const int64_t to = y / l.stride_h * l.out.w + x / l.stride_w;
    strided[place] = static_cast<int32_t>(to * pixel + number % pixel);
  }
  return strided;
}

// Words of one channel each: what packs them takes the place of every fourth.
MadePlaces::Places MadePlaces::of_single_bytes(const Extent2D& e,
                                               const std::vector<int32_t>& words) {
  constexpr int kBytes = 4;
  Places packed;
  for (const auto& [place, number] : of_words({e.h, e.w, (e.c + 3) / 4 * 4 * kBytes}, words)) {
    if (number % kBytes == 0) packed[place] = number / kBytes;
  }
  return packed;
}

const MadePlaces::Places& MadePlaces::places(Producer p) {
  const auto known = known_.find(p);
  if (known != known_.end()) return known->second;
  Places made;
  if (p < 0) {
    const auto index = static_cast<size_t>(-1 - p);
    const auto& inputs = search_.result.replay.input_places;
    if (index < inputs.size()) made = of_words(extent(p), inputs[index]);
  } else {
    const DecompiledLayer& layer = search_.result.layers[static_cast<size_t>(p)];
    const std::vector<int32_t> words = words_written(search_, layer);
    if (layer.problem.empty()) made = of_words(layer.out, words);
    if (made.empty() && layer.type == LayerType::mul && layer.problem.empty()) {
      made = of_single_bytes(layer.out, words);
    }
    if (made.empty() && layer.type == LayerType::max_pool && layer.problem.empty()) {
      made = of_strides(layer, words);
    }
  }
  return known_.emplace(p, std::move(made)).first->second;
}

std::optional<PictureWord> MadePlaces::at(const MadeAt& made) {
  Producer p = made.maker;
  if (made.born < 0 || (made.maker >= 0 && made.maker < kFirstStage)) return std::nullopt;
  if (made.maker >= 0) {
    p = search_.layer_of[static_cast<size_t>(made.maker - kFirstStage)];
    if (p < 0) return std::nullopt;
  }
  const Places& all = places(p);
  const auto found = all.find(made.born);
  if (found == all.end()) return std::nullopt;
  const int32_t pixel = (extent(p).c + 3) / 4;
  return PictureWord{p, found->second / pixel, found->second % pixel};
}

}  // namespace edgetwin::edgetpu

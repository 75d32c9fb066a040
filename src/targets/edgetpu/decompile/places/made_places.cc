#include "targets/edgetpu/decompile/places/made_places.h"

#include <algorithm>
#include <array>
#include <bit>

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
    const auto [first, last] = std::ranges::minmax(touched);
    const Span span{first, last};
    each_tile(nest.tiles, [&](size_t tile) {
      for (const int64_t w : touched) words.push_back(place_of(tile, w));
      parts[tile].push_back(span);
      count[tile] += static_cast<int64_t>(touched.size());
    });
  }
  const int64_t pixel = (int64_t{layer.out.c} + 3) / 4;
  for (size_t tile = 0; tile < kTiles; ++tile) {
    if (count[tile] > pixel && lie_apart(parts[tile])) return {};
  }
  return words;
}

// Each once. Places are few: a bit for each is quicker than to sort them.
std::vector<int32_t> ascending(const std::vector<int32_t>& places) {
  constexpr uint32_t kBits = 64;
  std::vector<uint64_t> seen(kTiles * kNarrowWords / kBits, 0);
  for (const int32_t p : places) {
    const auto place = static_cast<uint32_t>(p);
    if (place / kBits < seen.size()) seen[place / kBits] |= uint64_t{1} << place % kBits;
  }
  std::vector<int32_t> all;
  all.reserve(places.size());
  for (size_t n = 0; n < seen.size(); ++n) {
    for (uint64_t bits = seen[n]; bits != 0; bits &= bits - 1) {
      all.push_back(static_cast<int32_t>(n * kBits) + std::countr_zero(bits));
    }
  }
  return all;
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
MadePlaces::Pairs MadePlaces::of_words(const Extent2D& e, const std::vector<int32_t>& unsorted) {
  Pairs places;
  constexpr int kMost = 65536;
  const bool real = e.h > 0 && e.w > 0 && e.c > 0 && e.h <= kMost && e.w <= kMost && e.c <= kMost;
  if (!real) return {};
  const int64_t pixel = (int64_t{e.c} + 3) / 4;
  const std::vector<int32_t> words = ascending(unsorted);
  auto word = words.begin();
  for (int tile = 0; tile < static_cast<int>(kTiles); ++tile) {
    const TileBox box = box_of(e, tile);
    const auto end =
        std::lower_bound(word, words.end(), place_of(static_cast<size_t>(tile) + 1, 0));
    if (end - word != static_cast<int64_t>(box.positions()) * pixel) return {};
    for (int y = box.y0; y < box.y1; ++y) {
      for (int x = box.x0; x < box.x1; ++x) {
        for (int64_t k = 0; k < pixel; ++k) {
          places.emplace_back(*word++, static_cast<int32_t>((int64_t{y} * e.w + x) * pixel + k));
        }
      }
    }
  }
  return places;
}

// All tiles have the whole picture, computed alike.
MadePlaces::Pairs MadePlaces::of_copies(const Extent2D& e, const std::vector<int32_t>& unsorted) {
  const int64_t all = int64_t{e.h} * e.w * ((int64_t{e.c} + 3) / 4);
  if (all <= 0 || all > kNarrowWords) return {};
  Pairs places;
  int32_t tile = -1;
  int64_t n = 0;
  for (const int32_t p : ascending(unsorted)) {
    if (p / kNarrowWords != tile) {
      if (tile >= 0 && n != all) return {};
      tile = static_cast<int32_t>(p / kNarrowWords), n = 0;
    }
    if (n == all) return {};
    places.emplace_back(p, static_cast<int32_t>(n++));
  }
  return n == all ? places : Pairs{};
}

// The greatest of all windows, of which copies take those that the stride wants.
MadePlaces::Pairs MadePlaces::of_strides(const DecompiledLayer& l,
                                         const std::vector<int32_t>& words) const {
  const int64_t pixel = (int64_t{l.out.c} + 3) / 4;
  Pairs strided;
  for (const auto& [place, number] : of_words({l.in.h, l.in.w, l.out.c}, words)) {
    const int64_t position = number / pixel;
    const int64_t y = position / l.in.w, x = position % l.in.w;
    const bool taken = y % l.stride_h == 0 && x % l.stride_w == 0 && y / l.stride_h < l.out.h &&
                       x / l.stride_w < l.out.w;
    if (!taken) continue;
    const int64_t to = y / l.stride_h * l.out.w + x / l.stride_w;
    strided.emplace_back(place, static_cast<int32_t>(to * pixel + number % pixel));
  }
  return strided;
}

// Words of one channel each: what packs them takes the place of every fourth.
MadePlaces::Pairs MadePlaces::of_single_bytes(const Extent2D& e,
                                              const std::vector<int32_t>& words) {
  constexpr int kBytes = 4;
  Pairs packed;
  for (const auto& [place, number] : of_words({e.h, e.w, (e.c + 3) / 4 * 4 * kBytes}, words)) {
    if (number % kBytes == 0) packed.emplace_back(place, number / kBytes);
  }
  return packed;
}

MadePlaces::Pairs MadePlaces::pairs_of(Producer p) const {
  if (p < 0) {
    const auto index = static_cast<size_t>(-1 - p);
    const auto& inputs = search_.result.replay.input_places;
    return index < inputs.size() ? of_words(extent(p), inputs[index]) : Pairs{};
  }
  const DecompiledLayer& layer = search_.result.layers[static_cast<size_t>(p)];
  if (!layer.problem.empty()) return {};
  const std::vector<int32_t> words = words_written(search_, layer);
  Pairs made = of_words(layer.out, words);
  if (made.empty() && layer.type == LayerType::mul) made = of_single_bytes(layer.out, words);
  if (made.empty() && layer.type == LayerType::reshape) made = of_copies(layer.out, words);
  if (made.empty() && layer.type == LayerType::max_pool) made = of_strides(layer, words);
  return made;
}

MadePlaces::Places::Places(const Pairs& pairs) {
  constexpr auto kNone = std::pair{kNarrowWords, -1};
  std::array<std::pair<int32_t, int32_t>, kTiles> spans;
  spans.fill(kNone);
  for (const auto& [place, number] : pairs) {
    auto& [least, most] = spans[static_cast<size_t>(place / kNarrowWords)];
    least = std::min(least, place % kNarrowWords), most = std::max(most, place % kNarrowWords);
  }
  for (size_t t = 0; t < kTiles; ++t) {
    const auto& [least, most] = spans[t];
    first[t] = least;
    if (most >= least) numbers[t].assign(static_cast<size_t>(most - least) + 1, -1);
  }
  for (const auto& [place, number] : pairs) {
    const auto t = static_cast<size_t>(place / kNarrowWords);
    numbers[t][static_cast<size_t>(place % kNarrowWords - first[t])] = number;
  }
}

int32_t MadePlaces::Places::at(int32_t place) const {
  const auto t = static_cast<size_t>(place / kNarrowWords);
  if (t >= kTiles) return -1;
  const auto n = static_cast<size_t>(place % kNarrowWords - first[t]);  // before: a huge number
  return n < numbers[t].size() ? numbers[t][n] : -1;
}

const MadePlaces::Places& MadePlaces::places(Producer p) {
  if (last_places_ != nullptr && last_ == p) return *last_places_;
  auto known = known_.find(p);
  if (known == known_.end()) {
    known = known_.emplace(p, Places(pairs_of(p))).first;
    known->second.pixel = (extent(p).c + 3) / 4;
  }
  last_ = p, last_places_ = &known->second;
  return known->second;
}

std::optional<PictureWord> MadePlaces::at(const MadeAt& made) {
  Producer p = made.maker;
  if (made.born < 0 || (made.maker >= 0 && made.maker < kFirstStage)) return std::nullopt;
  if (made.maker >= 0) {
    p = search_.layer_of[static_cast<size_t>(made.maker - kFirstStage)];
    if (p < 0) return std::nullopt;
  }
  const Places& all = places(p);
  const int32_t found = all.at(made.born);
  if (found < 0) return std::nullopt;
  return PictureWord{p, found / all.pixel, found % all.pixel};
}

}  // namespace edgetwin::edgetpu

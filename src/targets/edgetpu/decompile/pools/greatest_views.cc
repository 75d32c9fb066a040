#include "targets/edgetpu/decompile/pools/greatest_views.h"

#include <algorithm>
#include <array>
#include <optional>

#include "targets/edgetpu/decompile/operands/tile_box.h"
#include "targets/edgetpu/decompile/sizes/greatest_size.h"
#include "targets/edgetpu/decompile/stages/word_walks.h"

namespace edgetwin::edgetpu {
namespace {

constexpr int kMostRowStride = 8;
constexpr int64_t kMostGreatestWords = int64_t{1} << 20U;

// What a tile computes and reads.
struct TilePart {
  const Nest* last = nullptr;   // the last sum
  const Nest* first = nullptr;  // the first pair
  std::array<const StepReads*, 2> reads{};
};

class GreatestViews {
 public:
  GreatestViews(const LayerSearch& search, const DecompiledLayer& pool,
                const std::vector<const DecompiledLayer*>& differences, MadePlaces& places)
      : search_(search), pool_(pool), differences_(differences), places_(places) {}

  std::vector<ReadView> run() {
    if (!gather()) return {};
    for (const PairWindow& w : pair_windows(differences_, pool_.in)) {
      if (w.stride_h > 0) {
        add(w, w.stride_h);
        continue;
      }
      for (int sy = 1; sy <= kMostRowStride; ++sy) add(w, sy);
    }
    return std::move(views_);
  }

 private:
  // False: a tile has several parts, or none of what it reads is remembered.
  bool gather() {
    bool one = true;
    const auto& steps = search_.result.replay.steps;
    for (const size_t s : pool_.steps) {
      const Nest& n = steps.nest(s);
      each_tile(n.tiles, [&](size_t t) {
        one = one && tiles_[t].last == nullptr;
        tiles_[t].last = &n;
      });
    }
    for (const size_t s : differences_.front()->stages) {
      const Stage& stage = search_.stages()[s];
      if (stage.reads.size() != 2) return false;
      for (size_t operand = 0; operand < 2; ++operand) {
        for (const StepReads& r : stage.reads[operand]) {
          for (const auto& [tile, made] : r.made) {
            one = one && tiles_[tile].reads[operand] == nullptr;
            tiles_[tile].reads[operand] = &r;
            tiles_[tile].first = &steps.nest(r.step);
          }
        }
      }
    }
    return one && std::ranges::all_of(tiles_, [](const TilePart& p) {
             return p.last == nullptr || (p.reads[0] != nullptr && p.reads[1] != nullptr);
           });
  }

  std::optional<Extent2D> output() const {
    std::array<PairPositions, kTiles> all{};
    for (size_t t = 0; t < kTiles; ++t) {
      const auto n = tiles_[t].last != nullptr ? pair_positions(*tiles_[t].last)
                                               : std::optional(PairPositions{0, 0, 0});
      if (!n) return std::nullopt;
      all[t] = *n;
    }
    constexpr size_t kGrid = 4;
    int64_t height = 0, width = 0;
    for (size_t k = 0; k < kGrid; ++k) height += all[k * kGrid].rows, width += all[k].columns;
    constexpr int64_t kMostSide = 65536;
    if (height <= 0 || width <= 0 || height > kMostSide || width > kMostSide) return std::nullopt;
    const Extent2D out{static_cast<int>(height), static_cast<int>(width),
                       static_cast<int>(all[0].words)};
    for (size_t t = 0; t < kTiles; ++t) {
      const TileBox box = box_of(out, static_cast<int>(t));
      const int64_t rows = box.positions() != 0 ? box.y1 - box.y0 : 0;
      const int64_t columns = box.positions() != 0 ? box.x1 - box.x0 : 0;
      const bool fits = all[t].rows == rows && all[t].columns == columns;
      if (!fits || (rows != 0 && all[t].words != all[0].words)) return std::nullopt;
    }
    return out;
  }

  void add(const PairWindow& w, int sy) {
    const auto out = output();
    if (!out || (out->h == 1 && sy > 1)) return;
    const int64_t height = (int64_t{out->h} - 1) * sy + w.kernel_h;
    const int64_t width = (int64_t{out->w} - 1) * w.stride_w + w.kernel_w;
    if (height > kMostGreatestWords / width || height * width > kMostGreatestWords / out->c) return;
    ReadView v{static_cast<int>(height), static_cast<int>(width), out->c, true, {}, {}};
    v.seen = {w.kernel_h, w.kernel_w, 1, sy, w.stride_w, out->h, out->w};
    v.all.assign(static_cast<size_t>(height * width * out->c), {});
    for (size_t t = 0; t < kTiles; ++t) {
      if (tiles_[t].last != nullptr && !put(v, w.pixel, t)) return;
    }
    views_.push_back(std::move(v));
  }

  // Bytes from row to row: the picture may be a copy of what a tile's windows cover.
  static int64_t row_of(const Nest& first, const SeenWindow& w) {
    constexpr size_t kDistance = 1, kRows = 3;
    if (w.kernel_w == 1) return first.in.level[kDistance].net;
    const int64_t row = first.in.level[kRows].net;
    return w.kernel_h == 1 ? row / w.stride_h : row;
  }

  // False: nobody knows where a word was made, or another one stands there.
  bool put(ReadView& v, int64_t pixel, size_t tile) {
    const SeenWindow& w = v.seen;
    const TileBox box = box_of({w.out_h, w.out_w, 1}, static_cast<int>(tile));
    const int rows = (box.y1 - box.y0 - 1) * w.stride_h + w.kernel_h;
    const int columns = (box.x1 - box.x0 - 1) * w.stride_w + w.kernel_w;
    const Nest& first = *tiles_[tile].first;
    const int64_t row = row_of(first, w);
    for (int y = 0; y < rows; ++y) {
      for (int x = 0; x < columns; ++x) {
        const int64_t at = first.in.start + y * row + x * pixel;
        if (at % 4 != 0) return false;
        for (int k = 0; k < v.words; ++k) {
          const MadeAt* made = made_at(tile, at / 4 + k);
          if (made == nullptr) continue;
          const auto found = word_of(*made);
          ViewWord& to = v.at(box.y0 * w.stride_h + y, box.x0 * w.stride_w + x, k);
          if (!found || (to.kind != ViewWord::Kind::unread && !(to == *found))) return false;
          to = *found;
        }
      }
    }
    return true;
  }

  // Null: no pair reads it.
  const MadeAt* made_at(size_t tile, int64_t word) const {
    for (const StepReads* r : tiles_[tile].reads) {
      const auto w = std::ranges::lower_bound(r->words, word);
      if (w == r->words.end() || *w != word) continue;
      return &r->made.at(tile)[static_cast<size_t>(w - r->words.begin())];
    }
    return nullptr;
  }

  std::optional<ViewWord> word_of(const MadeAt& made) {
    if (made.maker == kConstant) return ViewWord{ViewWord::Kind::constant, {}, made.born};
    const auto at = places_.at(made);
    return at ? std::optional(ViewWord{ViewWord::Kind::word, *at, 0}) : std::nullopt;
  }

  const LayerSearch& search_;
  const DecompiledLayer& pool_;
  const std::vector<const DecompiledLayer*>& differences_;
  MadePlaces& places_;
  std::array<TilePart, kTiles> tiles_{};
  std::vector<ReadView> views_;
};

}  // namespace

std::vector<ReadView> greatest_views(const LayerSearch& search, const DecompiledLayer& pool,
                                     const std::vector<const DecompiledLayer*>& differences,
                                     MadePlaces& places) {
  return GreatestViews(search, pool, differences, places).run();
}

}  // namespace edgetwin::edgetpu

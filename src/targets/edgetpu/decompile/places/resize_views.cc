#include "targets/edgetpu/decompile/places/resize_views.h"

#include <algorithm>
#include <array>
#include <optional>

#include "targets/edgetpu/decompile/operands/tile_box.h"
#include "targets/edgetpu/decompile/stages/resize_walk.h"

namespace edgetwin::edgetpu {
namespace {

constexpr size_t kSide = 4;  // tiles

// What becomes so many positions; `corners`: the first and the last one stay. 0: nothing does.
int64_t size_before(int64_t outputs, int64_t step, bool corners) {
  const int64_t parts = (outputs - (corners ? 1 : 0)) * step;
  return parts % ResizeAxis::kParts == 0 ? parts / ResizeAxis::kParts + (corners ? 1 : 0) : 0;
}

// Where the picture's first output lies, in parts of a pixel: on the first pixel, or before it.
int64_t first_of(const ResizeAxis& a) { return a.start == 0 ? 0 : a.start - ResizeAxis::kParts; }

class ResizeViews {
 public:
  ResizeViews(const LayerSearch& search, const LayerReads& reads)
      : steps_(search.result.replay.steps), reads_(reads) {}

  std::vector<ReadView> run() {
    if (!gather() || !walks_[0]) return {};
    for (const bool corners : {false, true}) add(corners);
    return std::move(views_);
  }

 private:
  bool gather() {
    for (size_t t = 0; t < kTiles; ++t) {
      if (reads_[t].words.empty()) continue;
      const size_t step = reads_[t].step;
      walks_[t] = resize_walk(steps_.all[step].instruction(), steps_.nest(step));
      if (!walks_[t]) return false;
      starts_[t] = steps_.nest(step).in.start;
    }
    for (size_t k = 0; k < kSide; ++k) {
      if (walks_[k * kSide]) out_.h += static_cast<int>(walks_[k * kSide]->rows.outputs);
      if (walks_[k]) out_.w += static_cast<int>(walks_[k]->columns.outputs);
    }
    return true;
  }

  void add(bool corners) {
    const ResizeWalk& first = *walks_[0];
    const int64_t h = size_before(out_.h, first.rows.step, corners);
    const int64_t w = size_before(out_.w, first.columns.step, corners);
    constexpr int64_t kMost = int64_t{1} << 20U;
    if (h <= 0 || w <= 0 || h * w * first.words > kMost) return;
    ReadView v;
    v.height = static_cast<int>(h), v.width = static_cast<int>(w);
    v.words = static_cast<int>(first.words);
    v.all.assign(static_cast<size_t>(h * w * first.words), {});
    for (size_t t = 0; t < kTiles; ++t) {
      if (walks_[t] ? !put(v, t) : edgetpu::box_of(out_, static_cast<int>(t)).positions() != 0) {
        return;
      }
    }
    const bool read = std::ranges::none_of(
        v.all, [](const ViewWord& x) { return x.kind == ViewWord::Kind::unread; });
    if (read) views_.push_back(std::move(v));
  }

  // Pixels of the picture that a tile's ones are; beside it the nearest. Nothing: other steps.
  static std::optional<std::vector<int64_t>> places(const ResizeAxis& a, int64_t first,
                                                    int64_t begin, int64_t size) {
    constexpr int64_t kParts = ResizeAxis::kParts;
    const int64_t at = first + begin * a.step;
    const int64_t low = at >= 0 ? at / kParts : -((-at + kParts - 1) / kParts);
    if (at - low * kParts != a.start) return std::nullopt;
    std::vector<int64_t> all;
    for (const int64_t p : a.pixels()) all.push_back(std::clamp<int64_t>(low + p, 0, size - 1));
    return all;
  }

  bool put(ReadView& v, size_t tile) const {
    const ResizeWalk& walk = *walks_[tile];
    const TileBox box = edgetpu::box_of(out_, static_cast<int>(tile));
    if (box.y1 - box.y0 != walk.rows.outputs || box.x1 - box.x0 != walk.columns.outputs ||
        walk.rows.step != walks_[0]->rows.step || walk.columns.step != walks_[0]->columns.step ||
        walk.words != v.words) {
      return false;
    }
    const auto rows = places(walk.rows, first_of(walks_[0]->rows), box.y0, v.height);
    const auto columns = places(walk.columns, first_of(walks_[0]->columns), box.x0, v.width);
    if (!rows || !columns) return false;
    const std::vector<int64_t> y_here = walk.rows.pixels(), x_here = walk.columns.pixels();
    for (size_t y = 0; y < rows->size(); ++y) {
      for (size_t x = 0; x < columns->size(); ++x) {
        const int64_t at =
            starts_[tile] + y_here[y] * walk.rows.pitch + x_here[x] * walk.columns.pitch;
        for (int k = 0; k < v.words; ++k) {
          const ViewWord* read = word_at(tile, at / 4 + k);
          ViewWord& to = v.at(static_cast<int>((*rows)[y]), static_cast<int>((*columns)[x]), k);
          if (read == nullptr) return false;
          if (to.kind != ViewWord::Kind::unread && !(to == *read)) return false;
          to = *read;
        }
      }
    }
    return true;
  }

  const ViewWord* word_at(size_t tile, int64_t word) const {
    const TileReads& r = reads_[tile];
    const auto w = std::ranges::lower_bound(r.words, word);
    if (w == r.words.end() || *w != word) return nullptr;
    return &r.found[static_cast<size_t>(w - r.words.begin())];
  }

  const DecodedProgram& steps_;
  const LayerReads& reads_;
  std::array<std::optional<ResizeWalk>, kTiles> walks_{};
  std::array<int64_t, kTiles> starts_{};
  Extent2D out_{0, 0, 1};
  std::vector<ReadView> views_;
};

}  // namespace

std::vector<ReadView> resize_views(const LayerSearch& search, const LayerReads& reads) {
  return ResizeViews(search, reads).run();
}

}  // namespace edgetwin::edgetpu

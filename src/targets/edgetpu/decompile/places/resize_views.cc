#include "targets/edgetpu/decompile/places/resize_views.h"

#include <algorithm>

#include "targets/edgetpu/decompile/operands/tile_box.h"
#include "targets/edgetpu/decompile/stages/resize_walk.h"

namespace edgetwin::edgetpu {
namespace {

constexpr int64_t kParts = ResizeAxis::kParts;

// Of all tiles together: where the first output lies, in parts of a pixel, and sizes.
struct WholeAxis {
  int64_t start = 0, step = 0;
  int64_t outputs = 0, inputs = 0;
  // The first line that a tile reads whose outputs begin here; nothing: not with this start.
  std::optional<int64_t> first_line(int64_t begin, const ResizeAxis& tile) const {
    const int64_t at = start + step * begin - tile.start;
    return at % kParts == 0 ? std::optional(at / kParts) : std::nullopt;
  }
  int64_t clamped(int64_t line) const { return std::clamp<int64_t>(line, 0, inputs - 1); }
};

class ResizeViews {
 public:
  ResizeViews(const LayerSearch& search, const DecompiledLayer& layer, const LayerReads& reads)
      : search_(search), layer_(layer), reads_(reads) {}

  std::vector<ReadView> run() {
    if (!take_walks()) return {};
    int64_t all = 0;
    for (const auto& w : walks_) all += w.rows.outputs * w.columns.outputs;
    constexpr int64_t kMost = 1 << 20;
    if (all <= 0 || all > kMost) return {};
    for (int64_t h = 1; h <= all; ++h) {
      if (all % h == 0) add_size(h, all / h);
    }
    return std::move(views_);
  }

 private:
  // False: a tile has several instructions.
  bool take_walks() {
    for (const size_t s : layer_.steps) {
      const ProgramInstruction& i = search_.result.replay.steps.all[s];
      const Nest& nest = search_.result.replay.steps.nest(s);
      const ResizeWalk walk = resize_walk(i.instruction(), nest);
      bool alone = true;
      each_tile(nest.tiles, [&](size_t t) {
        alone = alone && walks_[t].words == 0;
        walks_[t] = walk;
      });
      if (!alone || walk.words <= 0) return false;
    }
    first_ = walks_[0];
    return first_.words > 0;
  }

  // Whether the first output is the first position, or lies before it: middles of pixels.
  static WholeAxis whole(const ResizeAxis& first, int64_t outputs, bool corners) {
    WholeAxis a{first.start == 0 ? 0 : first.start - kParts, first.step, outputs, 0};
    const int64_t parts = corners ? (outputs - 1) * a.step : outputs * a.step;
    if (parts % kParts == 0) a.inputs = parts / kParts + (corners ? 1 : 0);
    return a;
  }

  void add_size(int64_t h, int64_t w) {
    const Extent2D out{static_cast<int>(h), static_cast<int>(w), 1};
    for (size_t t = 0; t < kTiles; ++t) {
      const TileBox box = box_of(out, static_cast<int>(t));
      const ResizeWalk& walk = walks_[t];
      const bool reads = !reads_[t].words.empty();
      if (reads != (box.positions() > 0)) return;
      if (reads &&
          (walk.rows.outputs != box.y1 - box.y0 || walk.columns.outputs != box.x1 - box.x0))
        return;
    }
    for (const bool corners : {false, true}) {
      const WholeAxis y = whole(first_.rows, h, corners), x = whole(first_.columns, w, corners);
      if (y.inputs > 0 && x.inputs > 0) add_view(out, y, x);
    }
  }

  void add_view(const Extent2D& out, const WholeAxis& y, const WholeAxis& x) {
    constexpr int64_t kMost = int64_t{1} << 20U;
    if (y.inputs > kMost / x.inputs || y.inputs * x.inputs > kMost / first_.words) return;
    ReadView v;
    v.height = static_cast<int>(y.inputs), v.width = static_cast<int>(x.inputs);
    v.words = static_cast<int>(first_.words);
    v.all.resize(static_cast<size_t>(y.inputs * x.inputs * first_.words));
    for (size_t t = 0; t < kTiles; ++t) {
      if (!reads_[t].words.empty() && !fill(v, t, box_of(out, static_cast<int>(t)), y, x)) return;
    }
    views_.push_back(std::move(v));
  }

  // False: it reads something else than another tile there.
  bool fill(ReadView& v, size_t t, const TileBox& box, const WholeAxis& y, const WholeAxis& x) {
    const ResizeWalk& walk = walks_[t];
    const auto top = y.first_line(box.y0, walk.rows), left = x.first_line(box.x0, walk.columns);
    const int64_t h = walk.rows.lines(), w = walk.columns.lines();
    const auto& found = reads_[t].found;
    if (!top || !left || walk.words != first_.words ||
        static_cast<int64_t>(found.size()) != h * w * walk.words) {
      return false;
    }
    size_t n = 0;
    for (int64_t r = 0; r < h; ++r) {
      for (int64_t c = 0; c < w; ++c) {
        for (int k = 0; k < v.words; ++k) {
          ViewWord& to = v.at(static_cast<int>(y.clamped(*top + r)),
                              static_cast<int>(x.clamped(*left + c)), k);
          if (to.kind != ViewWord::Kind::unread && !(to == found[n])) return false;
          to = found[n++];
        }
      }
    }
    return true;
  }

  const LayerSearch& search_;
  const DecompiledLayer& layer_;
  const LayerReads& reads_;
  std::array<ResizeWalk, kTiles> walks_{};
  ResizeWalk first_;
  std::vector<ReadView> views_;
};

}  // namespace

std::vector<ReadView> resize_views(const LayerSearch& search, const DecompiledLayer& layer,
                                   const LayerReads& reads) {
  return ResizeViews(search, layer, reads).run();
}

}  // namespace edgetwin::edgetpu

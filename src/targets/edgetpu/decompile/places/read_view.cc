#include "targets/edgetpu/decompile/places/read_view.h"

#include <algorithm>
#include <array>
#include <numeric>

#include "targets/edgetpu/decompile/operands/tile_box.h"
#include "targets/edgetpu/decompile/places/window_reads.h"
#include "targets/edgetpu/decompile/stages/replay_bounds.h"

namespace edgetwin::edgetpu {
namespace {

constexpr int kViewWord = 4;
constexpr int kMostStride = 4;

using TileSpots = std::array<std::vector<WindowWord>, kTiles>;

// Whether after `n` words the same words of the same producers come again, or of any.
bool repeats(const std::vector<ViewWord>& words, size_t n, bool producers) {
  for (size_t k = n; k < words.size(); ++k) {
    const ViewWord &x = words[k], &y = words[k - n];
    if (x.kind != ViewWord::Kind::word || y.kind != ViewWord::Kind::word) continue;
    if (x.word.word != y.word.word || (producers && x.word.from != y.word.from)) return false;
  }
  return true;
}

class Views {
 public:
  Views(const LayerSearch& search, const DecompiledLayer& layer, const LayerReads& reads,
        const MadePlaces& places, bool in_place)
      : search_(search), layer_(layer), reads_(reads), places_(places), in_place_(in_place) {}

  std::vector<ReadView> run() {
    if (!has_windows(layer_.type)) {
      for (const int64_t words : elements_words()) {
        if (!count_elements(words)) continue;
        for (const Extent2D& out : sizes()) add_plain(out, {});
      }
      return std::move(views_);
    }
    if (!count_windows()) return {};
    for (const Extent2D& out : sizes()) {
      add_windows(out, false);
      add_windows(out, true);
      add_single(out);
    }
    return std::move(views_);
  }

 private:
  // Channels of a pixel in words, as far as the producers that are known tell; 0: what a matrix of
  // zeros and ones reads is taken as it is.
  int64_t channels() const {
    int64_t all = 0;
    if (!has_weights(layer_.type)) return all;
    const Operand& o = layer_.inputs.front();
    for (size_t i = 0; i < o.from.size(); ++i) {
      const int c = o.taken.empty() ? places_.extent(o.from[i]).c : o.taken[i].count;
      all += (int64_t{c} + kViewWord - 1) / kViewWord * kViewWord;
    }
    return all;
  }

  const Nest& nest(size_t step) const { return search_.result.replay.steps.nest(step); }

  // Positions of each tile, and words of a pixel.
  bool count_windows() {
    int64_t most = 0;
    for (size_t t = 0; t < kTiles; ++t) {
      if (reads_[t].words.empty()) continue;
      const auto w = window_in(reads_[t].step, false);
      if (!w) return false;
      // The tile with most positions tells most.
      if (w->pixels > most) {
        widest_ = reads_[t].step, most = w->pixels;
        words_ = w->in_channels / kViewWord;
      }
      positions_[t] = w->pixels;
    }
    return words_ > 0;
  }

  bool count_elements(int64_t words) {
    words_ = words;
    for (size_t t = 0; t < kTiles; ++t) {
      const auto n = static_cast<int64_t>(reads_[t].words.size());
      if (n % words_ != 0) return false;
      positions_[t] = n / words_;
    }
    return true;
  }

  // Words of a pixel: after so many the same words of the same producers come again, or of any,
  // where positions are several producers'.
  std::vector<int64_t> elements_words() const {
    int64_t all = 0;
    for (const TileReads& t : reads_) all = std::gcd(all, static_cast<int64_t>(t.words.size()));
    const int64_t most = std::min(all, static_cast<int64_t>(kMostChannelWords));
    std::vector<int64_t> found;
    for (const bool producers : {true, false}) {
      for (int64_t n = 1; n <= most; ++n) {
        const bool again = all % n == 0 && std::ranges::all_of(reads_, [&](const TileReads& t) {
                             return repeats(t.found, static_cast<size_t>(n), producers);
                           });
        if (!again) continue;
        if (found.empty() || found.front() != n) found.push_back(n);
        break;
      }
    }
    return found;
  }

  // Sizes of the output whose parts in tiles have as many positions as these.
  std::vector<Extent2D> sizes() const {
    const int64_t all = std::accumulate(positions_.begin(), positions_.end(), int64_t{0});
    std::vector<Extent2D> found;
    constexpr int64_t kMost = 1 << 20;
    for (int64_t h = 1; h <= all && all <= kMost; ++h) {
      if (all % h != 0) continue;
      const Extent2D e{static_cast<int>(h), static_cast<int>(all / h), 1};
      bool fits = true;
      for (int k = 0; k < static_cast<int>(kTiles); ++k) {
        const TileBox box = box_of(e, k);
        fits = fits && static_cast<int64_t>(box.positions()) == positions_[static_cast<size_t>(k)];
      }
      if (fits) found.push_back(e);
    }
    return found;
  }

  // Positions row after row, the words of each together.
  void add_plain(const Extent2D& out, const SeenWindow& seen) {
    ReadView v{out.h, out.w, static_cast<int>(words_), false, seen, {}};
    TileSpots spots;
    PictureOffset offset(places_);
    for (size_t t = 0; t < kTiles; ++t) {
      const TileReads& tile = reads_[t];
      if (tile.words.empty()) continue;
      const TileBox box = box_of({v.height, v.width, 1}, static_cast<int>(t));
      if (box.positions() * static_cast<size_t>(v.words) != tile.words.size()) return;
      spots[t].reserve(tile.words.size());
      for (int y = box.y0; y < box.y1; ++y) {
        for (int x = box.x0; x < box.x1; ++x) {
          for (int k = 0; k < v.words; ++k) spots[t].push_back({0, y, x, k});
        }
      }
      if (!may_be(v, offset, t, spots[t])) return;
    }
    offer(std::move(v), spots);
  }

  // The instruction's window. `turned`: taps of one direction are a column.
  std::optional<Window> window_in(size_t step, bool turned) const {
    auto w = window_of(nest(step), layer_.type == LayerType::depthwise, channels());
    if (!w || !turned) return w;
    const bool apart = w->pixels == 1 || w->dilation > 1;
    if (w->kernel_h != 1 || w->kernel_w == 1 || !apart) return std::nullopt;
    std::swap(w->kernel_h, w->kernel_w);
    w->tap_y = w->tap_x;
    w->dilation = 1;
    return w;
  }

  // All strides that the walks allow.
  void add_windows(const Extent2D& out, bool turned) {
    const auto w = window_in(widest_, turned);
    if (!w) return;
    WindowWalk walk;
    walk.pixel = w->kernel_w > 1 ? w->tap_x / w->dilation : w->in_channels;
    walk.words = static_cast<int>(words_);
    for (int sh = 1; walk.pixel > 0 && sh <= kMostStride; ++sh) {
      for (int sw = 1; sw <= kMostStride; ++sw) {
        if ((out.h == 1 && sh > 1) || (out.w == 1 && sw > 1)) continue;
        walk.seen = {static_cast<int>(w->kernel_h),
                     static_cast<int>(w->kernel_w),
                     static_cast<int>(w->dilation),
                     sh,
                     sw,
                     out.h,
                     out.w};
        walk.height = (out.h - 1) * sh + (walk.seen.kernel_h - 1) * walk.seen.dilation + 1;
        walk.width = (out.w - 1) * sw + (walk.seen.kernel_w - 1) * walk.seen.dilation + 1;
        add_walk(walk);
      }
    }
  }

  void add_walk(const WindowWalk& walk) {
    // Only parameters know what real 0 around a picture is.
    const bool window = has_weights(layer_.type);
    ReadView v{walk.height, walk.width, walk.words, window, walk.seen, {}};
    TileSpots spots;
    PictureOffset offset(places_);
    for (size_t t = 0; t < kTiles; ++t) {
      if (reads_[t].words.empty()) continue;
      spots[t] = words_read(walk, t);
      if (spots[t].empty() || !may_be(v, offset, t, spots[t])) return;
    }
    offer(std::move(v), spots);
  }

  // Rows are as far apart as the tile's own levels show, or as in a buffer without gaps. Empty: the
  // words are not those that it reads.
  std::vector<WindowWord> words_read(const WindowWalk& walk, size_t tile) const {
    const TileReads& t = reads_[tile];
    const SeenWindow& w = walk.seen;
    const TileBox box = box_of({w.out_h, w.out_w, 1}, static_cast<int>(tile));
    const int64_t columns = int64_t{box.x1} - box.x0;
    const int64_t wide = (columns - 1) * w.stride_w + (w.kernel_w - 1) * w.dilation + 1;
    std::vector<int64_t> rows{wide * walk.pixel};
    const auto own = window_of(nest(t.step), layer_.type == LayerType::depthwise, channels());
    if (own && own->kernel_h > 1) rows.push_back(own->tap_y / own->dilation);
    if (own && own->kernel_h == 1 && own->kernel_w > 1) rows.push_back(own->tap_x);
    if (own && own->next_row > 0) rows.push_back(own->next_row / w.stride_h);
    // All positions in one level.
    if (own) rows.push_back(columns * own->position / w.stride_h);
    std::ranges::sort(rows);
    rows.erase(std::unique(rows.begin(), rows.end()), rows.end());
    for (const int64_t row : rows) {
      auto words = window_words(walk, box, nest(t.step).in.start, row, t.words);
      if (words) return *std::move(words);
    }
    return {};
  }

  // A window of one as if it had no stride: the positions that it reads alone.
  void add_single(const Extent2D& out) {
    const auto w = window_in(widest_, false);
    if (!w || w->kernel_h * w->kernel_w != 1) return;
    SeenWindow seen;
    seen.out_h = out.h, seen.out_w = out.w;
    add_plain(out, seen);
  }

  void offer(ReadView v, const TileSpots& spots) {
    constexpr int64_t kMost = int64_t{1} << 20U;
    if (int64_t{v.height} * v.width * v.words > kMost) return;
    if (fill(v, spots)) views_.push_back(std::move(v));
  }

  // False: only pictures are wanted, and the view is none.
  bool may_be(const ReadView& v, PictureOffset& offset, size_t tile,
              const std::vector<WindowWord>& spots) const {
    if (!in_place_ || (v.height == 1 && v.width == 1)) return true;
    for (size_t n = 0; n < spots.size(); ++n) {
      if (!offset.add(spots[n].y, spots[n].x, reads_[tile].found[n])) return false;
    }
    return true;
  }

  // False: two tiles read different words as the same.
  bool fill(ReadView& v, const TileSpots& spots) const {
    v.all.assign(
        static_cast<size_t>(v.height) * static_cast<size_t>(v.width) * static_cast<size_t>(v.words),
        {});
    for (size_t t = 0; t < kTiles; ++t) {
      for (size_t n = 0; n < spots[t].size(); ++n) {
        const ViewWord& made = reads_[t].found[n];
        ViewWord& to = v.at(spots[t][n].y, spots[t][n].x, spots[t][n].k);
        if (to.kind != ViewWord::Kind::unread && !(to == made)) return false;
        to = made;
      }
    }
    return true;
  }

  const LayerSearch& search_;
  const DecompiledLayer& layer_;
  const LayerReads& reads_;
  const MadePlaces& places_;
  bool in_place_ = false;
  std::array<int64_t, kTiles> positions_{};
  int64_t words_ = 0;
  size_t widest_ = 0;
  std::vector<ReadView> views_;
};

}  // namespace

bool PictureOffset::add(int y, int x, const ViewWord& w) {
  if (w.kind != ViewWord::Kind::word) return true;
  if (!asked_ || from_ != w.word.from) {
    of_from_ = places_.extent(w.word.from);
    from_ = w.word.from, asked_ = true;
  }
  const Extent2D& e = of_from_;
  if (e.h == 1 && e.w == 1) return true;  // beside a picture, at all of its positions
  const int top = y - w.word.position / e.w, left = x - w.word.position % e.w;
  if (!found_) top_ = top, left_ = left, size_ = e, found_ = true;
  return top == top_ && left == left_ && e.h == size_.h && e.w == size_.w;
}

std::vector<ReadView> read_views(const LayerSearch& search, const DecompiledLayer& layer,
                                 const LayerReads& reads, const MadePlaces& places, bool in_place) {
  return Views(search, layer, reads, places, in_place).run();
}

}  // namespace edgetwin::edgetpu

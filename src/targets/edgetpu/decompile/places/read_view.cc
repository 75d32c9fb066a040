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

// What one tile reads, joined over the layer's instructions.
struct TileReads {
  size_t step = 0;
  int64_t positions = 0;
  std::vector<int32_t> words;  // ascending
  std::vector<MadeAt> made;
};

class Views {
 public:
  Views(const LayerSearch& search, const DecompiledLayer& layer, MadePlaces& places)
      : search_(search), layer_(layer), places_(places) {}

  std::vector<ReadView> run(size_t operand) {
    window_ = has_weights(layer_.type);
    if (!gather(operand)) return {};
    std::vector<ReadView> views;
    if (!window_) {
      for (const int64_t words : elements_words()) {
        if (!count_elements(words)) continue;
        for (const Extent2D& out : sizes()) add_plain(out, views);
      }
      return views;
    }
    if (!count_windows()) return {};
    for (const Extent2D& out : sizes()) {
      add_windows(out, false, views);
      add_windows(out, true, views);
      add_single(out, views);
    }
    return views;
  }

 private:
  // Channels of a pixel in words, as far as the producers that are known tell.
  int64_t channels() const {
    int64_t all = 0;
    const Operand& o = layer_.inputs.front();
    for (size_t i = 0; i < o.from.size(); ++i) {
      const int c = o.taken.empty() ? places_.extent(o.from[i]).c : o.taken[i].count;
      all += (int64_t{c} + kViewWord - 1) / kViewWord * kViewWord;
    }
    return all;
  }

  const Nest& nest(size_t step) const { return search_.result.replay.steps.nest(step); }

  // One instruction for each tile, or several that read the same: parts of the channels.
  bool gather(size_t operand) {
    for (const size_t s : layer_.stages) {
      const Stage& stage = search_.stages()[s];
      if (operand >= stage.reads.size()) return false;
      for (const StepReads& r : stage.reads[operand]) {
        for (const auto& [tile, made] : r.made) {
          if (!add(r, tile, made)) return false;
        }
      }
    }
    return std::any_of(tiles_.begin(), tiles_.end(),
                       [](const TileReads& t) { return !t.words.empty(); });
  }

  bool add(const StepReads& r, size_t tile, const std::vector<MadeAt>& made) {
    TileReads& t = tiles_[tile];
    if (!t.words.empty()) return t.words == r.words;
    t.step = r.step;
    t.words = r.words;
    t.made = made;
    return true;
  }

  // Positions of each tile, and words of a pixel.
  bool count_windows() {
    int64_t most = 0;
    for (TileReads& t : tiles_) {
      if (t.words.empty()) continue;
      const auto w = window_in(t.step, false);
      if (!w) return false;
      // The tile with most positions tells most.
      if (w->pixels > most) {
        widest_ = t.step, most = w->pixels;
        words_ = w->in_channels / kViewWord;
      }
      t.positions = w->pixels;
    }
    return words_ > 0;
  }

  bool count_elements(int64_t words) {
    words_ = words;
    for (TileReads& t : tiles_) {
      const auto n = static_cast<int64_t>(t.words.size());
      if (n % words_ != 0) return false;
      t.positions = n / words_;
    }
    return true;
  }

  // Words of a pixel: after so many the same words of the same producers come again, or of any,
  // where positions are several producers'.
  std::vector<int64_t> elements_words() {
    std::vector<std::vector<ViewWord>> all;
    int64_t most = 0;
    for (const TileReads& t : tiles_) {
      if (t.words.empty()) continue;
      auto words = resolved(t);
      if (!words) return {};
      most = std::gcd(most, static_cast<int64_t>(words->size()));
      all.push_back(std::move(*words));
    }
    most = std::min(most, static_cast<int64_t>(kMostChannelWords));
    std::vector<int64_t> found;
    for (const bool producers : {true, false}) {
      for (int64_t n = 1; n <= most; ++n) {
        const bool again = most % n == 0 && std::ranges::all_of(all, [&](const auto& words) {
                             return repeats(words, static_cast<size_t>(n), producers);
                           });
        if (!again) continue;
        if (found.empty() || found.front() != n) found.push_back(n);
        break;
      }
    }
    return found;
  }

  static bool repeats(const std::vector<ViewWord>& words, size_t n, bool producers) {
    for (size_t k = n; k < words.size(); ++k) {
      const ViewWord &x = words[k], &y = words[k - n];
      if (x.kind != ViewWord::Kind::word || y.kind != ViewWord::Kind::word) continue;
      if (x.word.word != y.word.word || (producers && x.word.from != y.word.from)) return false;
    }
    return true;
  }

  std::optional<std::vector<ViewWord>> resolved(const TileReads& t) {
    std::vector<ViewWord> words;
    for (const MadeAt& m : t.made) {
      const auto w = resolve(m);
      if (!w) return std::nullopt;
      words.push_back(*w);
    }
    return words;
  }

  std::optional<ViewWord> resolve(const MadeAt& made) {
    ViewWord w;
    if (made.maker == kConstant) {
      w.kind = ViewWord::Kind::constant;
      w.constant = made.born;
      return w;
    }
    const auto at = places_.at(made);
    if (!at) return std::nullopt;
    w.kind = ViewWord::Kind::word;
    w.word = *at;
    return w;
  }

  // Sizes of the output whose parts in tiles have as many positions as these.
  std::vector<Extent2D> sizes() const {
    int64_t all = 0;
    for (const TileReads& t : tiles_) all += t.positions;
    std::vector<Extent2D> found;
    constexpr int64_t kMost = 1 << 20;
    for (int64_t h = 1; h <= all && all <= kMost; ++h) {
      if (all % h != 0) continue;
      const Extent2D e{static_cast<int>(h), static_cast<int>(all / h), 1};
      bool fits = true;
      for (int k = 0; k < static_cast<int>(kTiles); ++k) {
        const TileBox box = box_of(e, k);
        fits = fits &&
               static_cast<int64_t>(box.positions()) == tiles_[static_cast<size_t>(k)].positions;
      }
      if (fits) found.push_back(e);
    }
    return found;
  }

  void add_plain(const Extent2D& out, std::vector<ReadView>& views) {
    ReadView v;
    v.words = static_cast<int>(words_);
    v.height = out.h, v.width = out.w;
    if (place(v, [&](int tile) { return plain(v, tile); })) views.push_back(std::move(v));
  }

  // The instruction's window. `turned`: taps of a single position are a column.
  std::optional<Window> window_in(size_t step, bool turned) const {
    auto w = window_of(nest(step), layer_.type == LayerType::depthwise, channels());
    if (!w || !turned) return w;
    if (w->kernel_h != 1 || w->kernel_w == 1 || w->pixels != 1) return std::nullopt;
    std::swap(w->kernel_h, w->kernel_w);
    w->tap_y = w->tap_x;
    w->dilation = 1;
    return w;
  }

  // All strides that the walks allow.
  void add_windows(const Extent2D& out, bool turned, std::vector<ReadView>& views) {
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
        add_walk(walk, views);
      }
    }
  }

  void add_walk(const WindowWalk& walk, std::vector<ReadView>& views) {
    std::array<std::vector<WindowWord>, kTiles> words;
    for (size_t t = 0; t < kTiles; ++t) {
      if (tiles_[t].words.empty()) continue;
      words[t] = words_read(walk, t);
      if (words[t].empty()) return;
    }
    ReadView v;
    v.window = true;
    v.seen = walk.seen;
    v.words = walk.words;
    v.height = walk.height, v.width = walk.width;
    const auto fill = [&](int tile) {
      const auto t = static_cast<size_t>(tile);
      return put(v, words[t], tiles_[t]);
    };
    if (place(v, fill)) views.push_back(std::move(v));
  }

  // Rows are as far apart as the tile's own levels show, or as in a buffer without gaps. Empty: the
  // words are not those that it reads.
  std::vector<WindowWord> words_read(const WindowWalk& walk, size_t tile) const {
    const TileReads& t = tiles_[tile];
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
    for (const int64_t row : rows) {
      auto words = window_words(walk, box, nest(t.step).in.start, row, t.words.size());
      if (words && std::ranges::equal(*words, t.words, {}, &WindowWord::at)) return *words;
    }
    return {};
  }

  bool put(ReadView& v, const std::vector<WindowWord>& words, const TileReads& t) {
    for (size_t n = 0; n < words.size(); ++n) {
      const auto made = resolve(t.made[n]);
      if (!made) return false;
      ViewWord& to = v.at(words[n].y, words[n].x, words[n].k);
      if (to.kind != ViewWord::Kind::unread && !(to == *made)) return false;
      to = *made;
    }
    return true;
  }

  // A window of one as if it had no stride: the positions that it reads alone.
  void add_single(const Extent2D& out, std::vector<ReadView>& views) {
    const auto w = window_in(widest_, false);
    if (!w || w->kernel_h * w->kernel_w != 1) return;
    ReadView v;
    v.words = static_cast<int>(words_);
    v.height = out.h, v.width = out.w;
    v.seen.out_h = out.h, v.seen.out_w = out.w;
    if (place(v, [&](int tile) { return plain(v, tile); })) views.push_back(std::move(v));
  }

  bool place(ReadView& v, const std::function<bool(int)>& fill) {
    constexpr int64_t kMost = int64_t{1} << 20U;
    if (int64_t{v.height} * v.width * v.words > kMost) return false;
    v.all.assign(
        static_cast<size_t>(v.height) * static_cast<size_t>(v.width) * static_cast<size_t>(v.words),
        {});
    for (int t = 0; t < static_cast<int>(kTiles); ++t) {
      if (!tiles_[static_cast<size_t>(t)].words.empty() && !fill(t)) return false;
    }
    return true;
  }

  // Positions row after row, the words of each together.
  bool plain(ReadView& v, int tile) {
    const TileReads& t = tiles_[static_cast<size_t>(tile)];
    const TileBox box = box_of({v.height, v.width, 1}, tile);
    if (box.positions() * static_cast<size_t>(v.words) != t.made.size()) return false;
    auto made = t.made.begin();
    for (int y = box.y0; y < box.y1; ++y) {
      for (int x = box.x0; x < box.x1; ++x) {
        for (int k = 0; k < v.words; ++k) {
          const auto w = resolve(*made++);
          if (!w) return false;
          v.at(y, x, k) = *w;
        }
      }
    }
    return true;
  }

  const LayerSearch& search_;
  const DecompiledLayer& layer_;
  MadePlaces& places_;
  std::array<TileReads, kTiles> tiles_;
  int64_t words_ = 0;
  bool window_ = false;
  size_t widest_ = 0;
};

}  // namespace

std::vector<ReadView> read_views(const LayerSearch& search, const DecompiledLayer& layer,
                                 size_t operand, MadePlaces& places) {
  return Views(search, layer, places).run(operand);
}

}  // namespace edgetwin::edgetpu

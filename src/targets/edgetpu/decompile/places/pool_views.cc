#include "targets/edgetpu/decompile/places/pool_views.h"

#include <algorithm>
#include <bit>
#include <numeric>
#include <optional>
#include <tuple>

#include "targets/edgetpu/decompile/operands/tile_box.h"

namespace edgetwin::edgetpu {
namespace {

constexpr int64_t kPositions = 4;   // of a line, for each word
constexpr int64_t kLineBytes = 64;  // channels of a line
constexpr size_t kX = 2, kY = 3;    // loops over the columns and rows of the output
constexpr int kMostPoolStride = 8;
constexpr int64_t kMostViewWords = int64_t{1} << 20U;

// What an instruction sums in a tile; `first`: the position of its first tap among those of the
// lines.
struct Sums {
  const Nest* nest = nullptr;
  int64_t first = 0;
  int64_t columns() const { return nest->loop[kX]; }
  int64_t rows() const { return nest->loop[kY]; }
};

// Lines of a tile, all instructions that take words from them, and what they hold.
struct Block {
  size_t tile = 0, fetch = 0;
  int64_t lines = 0, words = 0;  // of a position
  int64_t out = 0;               // lowest place that is written
  const std::vector<MadeAt>* made = nullptr;
  std::vector<Sums> sums;
};

// The outputs of a tile.
struct OutputBox {
  int64_t rows = 0, columns = 0;
};

class PoolViews {
 public:
  PoolViews(const LayerSearch& search, const DecompiledLayer& layer, MadePlaces& places)
      : replay_(search.result.replay), stages_(search.stages()), layer_(layer), places_(places) {}

  std::vector<ReadView> run() {
    if (!gather()) return {};
    add_whole();
    for (const int sy : strides(kernel_h_)) {
      for (const int sx : strides(kernel_w_)) add_windows(sy, sx);
    }
    return std::move(views_);
  }

 private:
  static std::vector<int> strides(int64_t kernel) {
    std::vector<int> all(kMostPoolStride);
    std::iota(all.begin(), all.end(), 1);
    // Windows side by side.
    if (kernel > kMostPoolStride) all.push_back(static_cast<int>(kernel));
    return all;
  }

  bool gather() {
    for (const size_t s : layer_.stages) {
      const Stage& stage = stages_[s];
      size_t wanted = 0;
      for (const size_t step : stage.steps) {
        wanted += static_cast<size_t>(std::popcount(replay_.steps.nest(step).tiles));
      }
      if (stage.fetched.size() != wanted) return false;
      for (const FetchedLines& f : stage.fetched) {
        if (!add(f)) return false;
      }
    }
    return !blocks_.empty();
  }

  bool add(const FetchedLines& f) {
    constexpr uint32_t kFromWide = 0x1870;
    const Nest& n = replay_.steps.nest(f.step);
    if (n.kind != kFromWide || n.weight.size <= kY || n.loop[0] * n.loop[1] <= 1) return false;
    if (blocks_.empty()) kernel_w_ = n.loop[0], kernel_h_ = n.loop[1];
    if (kernel_w_ != n.loop[0] || kernel_h_ != n.loop[1]) return false;
    auto block = std::ranges::find_if(
        blocks_, [&](const Block& b) { return b.tile == f.tile && b.fetch == f.fetch; });
    if (block == blocks_.end()) {
      blocks_.push_back({f.tile, f.fetch, f.lines, 0, n.out.start, words_of(f), {}});
      block = blocks_.end() - 1;
      const int64_t places = f.lines * kPositions;
      const auto all = block->made ? static_cast<int64_t>(block->made->size()) : 0;
      if (all == 0 || places <= 0 || all % places != 0) return false;
      block->words = all / places;
    }
    block->out = std::min(block->out, n.out.start);
    block->sums.push_back({&n, n.weight.start - kPositions * f.first});
    return true;
  }

  const std::vector<MadeAt>* words_of(const FetchedLines& f) const {
    const auto fetched = replay_.fetched.find(f.fetch);
    if (fetched == replay_.fetched.end()) return nullptr;
    for (const TileWords& t : fetched->second) {
      if (t.tile == f.tile) return &t.made;
    }
    return nullptr;
  }

  // Positions from one row of a block's lines to the next; 0: they do not show it.
  int64_t round_of(const Block& b, int64_t sy) const {
    if (kernel_h_ > 1) return b.sums.front().nest->weight.level[1].net;
    for (const Sums& s : b.sums) {
      const int64_t apart = s.nest->weight.level[kY].net;
      if (s.rows() > 1) return apart % sy == 0 ? apart / sy : 0;
    }
    // Without rows of a window or of outputs all lines are one row, unless parts follow each other.
    return kPositions * b.lines;
  }

  // Nothing: words of which nobody knows where they were made.
  std::optional<ViewWord> word_at(const Block& b, int64_t round, int64_t row, int64_t column,
                                  int64_t k) {
    const int64_t place = row * round + column;
    if (column >= round || place / kPositions >= b.lines) return std::nullopt;
    const int64_t n = (place / kPositions * b.words + k) * kPositions + place % kPositions;
    return view_word((*b.made)[static_cast<size_t>(n)], places_);
  }

  static bool room_for(int64_t height, int64_t width, int64_t words) {
    constexpr int64_t kMostSide = 65536;
    return height > 0 && width > 0 && height <= kMostSide && width <= kMostSide &&
           words <= kMostViewWords && height * width <= kMostViewWords / words;
  }

  static ReadView empty_view(int64_t height, int64_t width, int64_t words) {
    ReadView v;
    v.height = static_cast<int>(height), v.width = static_cast<int>(width);
    v.words = static_cast<int>(words);
    v.window = true;
    v.all.assign(static_cast<size_t>(height * width * words), {});
    return v;
  }

  // One output: tiles share its channels, 64 at a time.
  void add_whole() {
    int64_t least = blocks_.front().out, words = 0;
    for (const Block& b : blocks_) {
      const bool one = b.sums.size() == 1 && b.sums[0].columns() == 1 && b.sums[0].rows() == 1;
      if (!one || b.sums[0].first != 0) return;
      least = std::min(least, b.out);
      words += b.words;
    }
    if (!room_for(kernel_h_, kernel_w_, words)) return;
    std::vector<const Block*> order;
    for (const Block& b : blocks_) order.push_back(&b);
    std::ranges::sort(order, {}, [&](const Block* b) {
      return std::tuple((b->out - least) / kLineBytes, b->tile, b->out);
    });
    ReadView v = empty_view(kernel_h_, kernel_w_, words);
    v.seen = {static_cast<int>(kernel_h_), static_cast<int>(kernel_w_)};
    int64_t first = 0;
    for (const Block* b : order) {
      const int64_t round = round_of(*b, 1);
      for (int64_t y = 0; y < kernel_h_; ++y) {
        for (int64_t x = 0; x < kernel_w_; ++x) {
          if (!put(v, *b, round, {y, x, y, x}, first)) return;
        }
      }
      first += b->words;
    }
    views_.push_back(std::move(v));
  }

  // A position of a block and of the view.
  struct Spot {
    int64_t row, column, y, x;
  };
  // False: it is not known, or another word stands there already.
  bool put(ReadView& v, const Block& b, int64_t round, const Spot& at, int64_t first) {
    for (int64_t k = 0; k < b.words; ++k) {
      const auto w = word_at(b, round, at.row, at.column, k);
      if (!w) return false;
      ViewWord& to =
          v.at(static_cast<int>(at.y), static_cast<int>(at.x), static_cast<int>(first + k));
      if (to.kind != ViewWord::Kind::unread && !(to == *w)) return false;
      to = *w;
    }
    return true;
  }

  // Of one block: its instructions make a rectangle. Nothing: not with these strides.
  std::optional<OutputBox> box_of_block(const Block& b, int64_t sy, int64_t sx) const {
    const int64_t round = round_of(b, sy);
    if (round <= 0) return std::nullopt;
    OutputBox box;
    int64_t outputs = 0;
    for (const Sums& s : b.sums) {
      const int64_t row = s.first / round, column = s.first % round;
      const auto& level = s.nest->weight.level;
      const bool fits = row % sy == 0 && column % sx == 0 &&
                        (s.columns() == 1 || level[kX].net == sx) &&
                        (s.rows() == 1 || level[kY].net == sy * round);
      if (!fits || s.first < 0) return std::nullopt;
      box.rows = std::max(box.rows, row / sy + s.rows());
      box.columns = std::max(box.columns, column / sx + s.columns());
      outputs += s.rows() * s.columns();
    }
    return outputs == box.rows * box.columns ? std::optional(box) : std::nullopt;
  }

  void add_windows(int sy, int sx) {
    std::array<OutputBox, kTiles> boxes{};
    for (const Block& b : blocks_) {
      const auto box = box_of_block(b, sy, sx);
      if (!box) return;
      OutputBox& known = boxes[b.tile];
      if (known.rows != 0 && (known.rows != box->rows || known.columns != box->columns)) return;
      known = *box;
    }
    constexpr size_t kGrid = 4;
    int64_t height = 0, width = 0;
    for (size_t k = 0; k < kGrid; ++k) height += boxes[k * kGrid].rows, width += boxes[k].columns;
    if (!room_for(height, width, 1) || (height == 1 && sy > 1) || (width == 1 && sx > 1)) return;
    const Extent2D out{static_cast<int>(height), static_cast<int>(width), 1};
    for (size_t t = 0; t < kTiles; ++t) {
      const TileBox box = edgetpu::box_of(out, static_cast<int>(t));
      const bool any = box.positions() != 0;
      const int64_t rows = any ? box.y1 - box.y0 : 0, columns = any ? box.x1 - box.x0 : 0;
      if (boxes[t].rows != rows || boxes[t].columns != columns) return;
    }
    add_view(out, sy, sx);
  }

  void add_view(const Extent2D& out, int sy, int sx) {
    int64_t words = 0;
    for (const Block& b : blocks_) words += b.tile == blocks_.front().tile ? b.words : 0;
    const int64_t height = (int64_t{out.h} - 1) * sy + kernel_h_;
    const int64_t width = (int64_t{out.w} - 1) * sx + kernel_w_;
    if (!room_for(height, width, words)) return;
    ReadView v = empty_view(height, width, words);
    v.seen = {static_cast<int>(kernel_h_), static_cast<int>(kernel_w_), 1, sy, sx, out.h, out.w};
    std::vector<const Block*> order;
    for (const Block& b : blocks_) order.push_back(&b);
    std::ranges::sort(order, {}, [](const Block* b) { return std::pair(b->tile, b->out); });
    std::array<int64_t, kTiles> first{};
    for (const Block* b : order) {
      const TileBox box = edgetpu::box_of(out, static_cast<int>(b->tile));
      const int64_t rows = (int64_t{box.y1} - box.y0 - 1) * sy + kernel_h_;
      const int64_t columns = (int64_t{box.x1} - box.x0 - 1) * sx + kernel_w_;
      if (first[b->tile] + b->words > words) return;
      for (int64_t y = 0; y < rows; ++y) {
        for (int64_t x = 0; x < columns; ++x) {
          const Spot spot{y, x, int64_t{box.y0} * sy + y, int64_t{box.x0} * sx + x};
          if (!put(v, *b, round_of(*b, sy), spot, first[b->tile])) return;
        }
      }
      first[b->tile] += b->words;
    }
    const bool read = std::ranges::none_of(
        v.all, [](const ViewWord& w) { return w.kind == ViewWord::Kind::unread; });
    if (read) views_.push_back(std::move(v));
  }

  const Replay& replay_;
  const std::vector<Stage>& stages_;
  const DecompiledLayer& layer_;
  MadePlaces& places_;
  std::vector<Block> blocks_;
  int64_t kernel_h_ = 1, kernel_w_ = 1;
  std::vector<ReadView> views_;
};

}  // namespace

std::vector<ReadView> pool_views(const LayerSearch& search, const DecompiledLayer& layer,
                                 MadePlaces& places) {
  return PoolViews(search, layer, places).run();
}

ReadView turned(const ReadView& view) {
  ReadView v = view;
  std::swap(v.height, v.width);
  std::swap(v.seen.kernel_h, v.seen.kernel_w);
  std::swap(v.seen.stride_h, v.seen.stride_w);
  std::swap(v.seen.out_h, v.seen.out_w);
  for (int y = 0; y < v.height; ++y) {
    for (int x = 0; x < v.width; ++x) {
      for (int k = 0; k < v.words; ++k) v.at(y, x, k) = view.at(x, y, k);
    }
  }
  return v;
}

}  // namespace edgetwin::edgetpu

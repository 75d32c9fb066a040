#include "targets/edgetpu/decompile/sizes/greatest_size.h"

#include <algorithm>
#include <bit>
#include <optional>

#include "targets/edgetpu/decompile/sizes/size_candidates.h"

namespace edgetwin::edgetpu {
namespace {

// How a sum walks over its operands: from one to the other, columns, rows, words of a pixel.
struct PairWalk {
  int64_t distance = 0, column = 0, row = 0;
  int64_t columns = 1, rows = 1, words = 1;
};

std::optional<PairWalk> walk_of(const Nest& n) {
  constexpr size_t kLevels = 6;
  constexpr int64_t kPlane = 4;  // the level between rows and words, which has one pass
  const auto& l = n.in.level;
  if (n.in.size < kLevels || l[0].count != 2 || l[1].count != 2 || l[kPlane].count != 1 ||
      l[kPlane + 1].net != 4) {
    return std::nullopt;
  }
  for (size_t k = kLevels; k < n.in.size; ++k) {
    if (l[k].count != 1) return std::nullopt;
  }
  return PairWalk{l[1].net, l[2].net, l[3].net, l[2].count, l[3].count, l[kPlane + 1].count};
}

struct Axis {
  int kernel = 1, stride = 1;
};

class PairAxes {
 public:
  // False: they make no window.
  bool find(const std::vector<const DecompiledLayer*>& differences, const Extent2D& in) {
    for (const DecompiledLayer* d : differences) {
      const auto w = walk_of(d->numbers);
      if (!w) return false;
      walks_.push_back(*w);
    }
    return find_axes(in);
  }
  // Where positions are so many bytes apart. False: they make no window then.
  bool find(const std::vector<const DecompiledLayer*>& differences, int64_t pixel, bool one_row) {
    walks_.clear();
    x_ = y_ = {};
    for (const DecompiledLayer* d : differences) {
      const auto w = walk_of(d->numbers);
      if (!w) return false;
      walks_.push_back(*w);
    }
    pixel_ = pixel;
    return find_axes(one_row ? pixel * walks_.front().columns : 0);
  }
  const Axis& x() const { return x_; }
  const Axis& y() const { return y_; }  // stride 0: nothing tells it
  int64_t pixel() const { return pixel_; }
  int64_t row() const { return row_; }

 private:
  // More places than are together already are never joined.
  static bool joins(int have, int64_t more) { return more >= 1 && more <= have; }

  bool find_axes(const Extent2D& in) {
    const PairWalk& first = walks_.front();
    const int64_t own = 4 * first.words;
    const int64_t whole = padded_channels(in.c);
    if (own <= 0 || whole <= 0) return false;
    pixel_ = first.distance % whole == 0 && first.column % whole == 0 ? whole : own;
    // Of one row nothing tells how long it is.
    return find_axes(in.h == 1 ? in.w * pixel_ : 0);
  }

  // `only_row`: bytes of the one row that there is; 0: there are several.
  bool find_axes(int64_t only_row) {
    const auto inside_row = [&](const PairWalk& w) { return only_row > 0 || w.distance < w.row; };
    const PairWalk& first = walks_.front();
    if (pixel_ <= 0) return false;
    if (first.distance <= 0 || first.column % pixel_ != 0 || first.row % pixel_ != 0) return false;
    size_t k = 0;
    // Along the columns the first two are neighbours; they are along the rows of a picture of one
    // column, too.
    if (first.distance == pixel_ && inside_row(first)) {
      for (; k < walks_.size() && walks_[k].distance % pixel_ == 0; ++k) {
        const int64_t more = walks_[k].distance / pixel_;
        const bool goes_on = x_.stride == 1 && joins(x_.kernel, more);
        if (!goes_on || !inside_row(walks_[k])) break;
        x_.kernel += static_cast<int>(more);
        x_.stride = static_cast<int>(walks_[k].column / pixel_);
      }
      row_ = walks_[k - 1].row;
      if (only_row > 0) row_ = only_row;
    } else {
      row_ = first.distance;
      x_.stride = first.columns == 1 ? 1 : static_cast<int>(first.column / pixel_);
    }
    if (row_ <= 0) return false;
    // Of a window of one row nothing tells the length of a row but the size.
    if (k == walks_.size()) y_.stride = 0;
    for (; k < walks_.size(); ++k) {
      const int64_t more = walks_[k].distance / row_;
      const bool goes_on = y_.stride == 1 && joins(y_.kernel, more);
      if (!goes_on || walks_[k].distance % row_ != 0 || walks_[k].row % row_ != 0) return false;
      y_.kernel += static_cast<int>(more);
      y_.stride = static_cast<int>(walks_[k].row / row_);
    }
    return x_.stride > 0 && (y_.stride > 0 || y_.kernel == 1);
  }

  std::vector<PairWalk> walks_;
  int64_t pixel_ = 4, row_ = 4;
  Axis x_, y_;
};

class Sizer {
 public:
  Sizer(DecompiledLayer& pool, const std::vector<const DecompiledLayer*>& differences,
        const SizeContext& context)
      : pool_(pool), differences_(differences), context_(context) {}

  // What is wrong; empty: nothing.
  std::string run() {
    if (!pool_.seen.empty()) {
      const SeenWindow& w = pool_.seen.front();
      x_ = {w.kernel_w, w.stride_w};
      y_ = {w.kernel_h, w.stride_h};
      return find_size() ? "" : "its window and the positions that it has do not fit";
    }
    PairAxes axes;
    if (!axes.find(differences_, pool_.in)) return "its pairs make no window";
    x_ = axes.x();
    y_ = axes.y();
    pixel_ = axes.pixel();
    row_ = axes.row();
    return find_size() ? "" : "its window and the positions that it has do not fit";
  }

 private:
  int64_t words_made() const {
    int64_t words = 0;
    for (const size_t s : pool_.steps) {
      const Nest& n = context_.replay.steps.nest(s);
      int64_t places = 1;
      for (const Level& l : n.out.levels()) places *= l.count;
      words += places * std::popcount(n.tiles);
    }
    return words;
  }

  bool find_size() {
    const int64_t wanted = words_made();
    for (const int sy : {1, 2, 3, 4, 5, 6, 7, 8}) {
      if (y_.stride != 0 && sy != y_.stride) continue;
      for (const bool same : {false, true}) {
        if (fits(sy, same, wanted)) return true;
      }
    }
    return y_.stride > 8 && (fits(y_.stride, false, wanted) || fits(y_.stride, true, wanted));
  }

  bool fits(int sy, bool same, int64_t wanted) {
    const Extent2D& in = pool_.in;
    const int h = same ? same_size(in.h, sy) : valid_size(in.h, y_.kernel, sy);
    const int w = same ? same_size(in.w, x_.stride) : valid_size(in.w, x_.kernel, x_.stride);
    if (h <= 0 || w <= 0 || int64_t{h} * w * (padded_channels(in.c) / 4) != wanted) return false;
    const int top = same ? std::max(0, (h - 1) * sy + y_.kernel - in.h) / 2 : 0;
    const int left = same ? std::max(0, (w - 1) * x_.stride + x_.kernel - in.w) / 2 : 0;
    if (!pool_.seen.empty()) {
      const SeenWindow& seen = pool_.seen.front();
      if (h != seen.out_h || w != seen.out_w || top != seen.top || left != seen.left) return false;
    } else if (!border_is(top, left)) {
      return false;
    }
    pool_.kernel_h = y_.kernel;
    pool_.kernel_w = x_.kernel;
    pool_.stride_h = sy;
    pool_.stride_w = x_.stride;
    pool_.pad = same ? DecompiledLayer::Pad::same : DecompiledLayer::Pad::valid;
    pool_.pad_top = top;
    pool_.pad_left = left;
    pool_.out = {h, w, in.c};
    return true;
  }

  // Rows and columns in front of the picture are constants where the first tile begins, along its
  // first column and row: a large window reaches over its other edges, too.
  bool border_is(int top, int left) const {
    if (y_.kernel == 1 && x_.kernel == 1) return true;
    const Stage& stage = context_.stages[differences_.front()->stages.front()];
    if (!stage.first) return false;
    const int64_t start = context_.replay.steps.nest(stage.first->step).in.start;
    const auto constant = [&](int64_t y, int64_t x) {
      return std::binary_search(stage.first->constants.begin(), stage.first->constants.end(),
                                (start + y * row_ + x * pixel_) / 4);
    };
    int rows = 0;
    while (rows < y_.kernel && constant(rows, left)) ++rows;
    int columns = 0;
    while (columns < x_.kernel && constant(top, columns)) ++columns;
    return rows == top && columns == left;
  }

  DecompiledLayer& pool_;
  const std::vector<const DecompiledLayer*>& differences_;
  const SizeContext& context_;
  int64_t pixel_ = 4, row_ = 4;
  Axis x_, y_;
};

}  // namespace

std::optional<PairPositions> pair_positions(const Nest& nest) {
  const auto w = walk_of(nest);
  return w ? std::optional(PairPositions{w->columns, w->rows, w->words}) : std::nullopt;
}

std::vector<PairWindow> pair_windows(const std::vector<const DecompiledLayer*>& differences,
                                     const Extent2D& in) {
  const auto first = walk_of(differences.front()->numbers);
  if (!first) return {};
  std::vector<int64_t> pixels{padded_channels(in.c), 4 * first->words, first->distance};
  constexpr int64_t kMostStride = 8;
  for (int64_t s = 1; s <= kMostStride; ++s) {
    if (first->column % s == 0) pixels.push_back(first->column / s);
  }
  std::vector<PairWindow> found;
  std::vector<int64_t> tried;
  for (const int64_t pixel : pixels) {
    if (pixel <= 0 || pixel % 4 != 0 || std::ranges::find(tried, pixel) != tried.end()) continue;
    tried.push_back(pixel);
    for (const bool one_row : {false, true}) {
      PairAxes axes;
      if ((one_row && first->rows != 1) || !axes.find(differences, pixel, one_row)) continue;
      found.push_back({axes.y().kernel, axes.x().kernel, axes.y().stride, axes.x().stride, pixel});
    }
  }
  return found;
}

void size_greatest(DecompiledLayer& pool, const std::vector<const DecompiledLayer*>& differences,
                   const SizeContext& context) {
  pool.problem = Sizer(pool, differences, context).run();
}

}  // namespace edgetwin::edgetpu

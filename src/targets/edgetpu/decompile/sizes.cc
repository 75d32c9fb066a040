#include "targets/edgetpu/decompile/sizes.h"

#include "targets/edgetpu/decompile/classify.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <optional>
#include <span>

namespace edgetwin::edgetpu {
namespace {

int round4(int c) { return (c + 3) / 4 * 4; }

struct Total {
  int64_t pixels = 0;    // over all tiles and instructions
  int64_t largest = 0;   // of one tile
  int64_t width = 0;     // of the first band, where columns are to be seen
  int64_t channels = 0;  // over all tiles
};

struct Candidate {
  int h = 0, w = 0, stride_h = 1, stride_w = 1;
  DecompiledLayer::Pad pad = DecompiledLayer::Pad::same;
  int top = 0, left = 0, bottom = 0, right = 0;
};

// Taps that lie outside of the picture: of the first window in front of it, of the last one behind
// it; -1: not to be seen.
struct Outside {
  int rows = -1, columns = -1;
};
struct Border {
  Outside front, back;
  bool seen() const {
    return front.rows >= 0 && front.columns >= 0 && back.rows >= 0 && back.columns >= 0;
  }
};

int same_size(int in, int stride) { return (in + stride - 1) / stride; }
int valid_size(int in, int kernel, int stride) {
  return in < kernel ? 0 : (in - kernel) / stride + 1;
}

Candidate same(const DecompiledLayer& l, int sh, int sw) {
  const int kh = (l.kernel_h - 1) * l.dilation + 1;
  const int kw = (l.kernel_w - 1) * l.dilation + 1;
  Candidate c{same_size(l.in.h, sh), same_size(l.in.w, sw), sh, sw};
  c.top = std::max(0, (c.h - 1) * sh + kh - l.in.h) / 2;
  c.left = std::max(0, (c.w - 1) * sw + kw - l.in.w) / 2;
  return c;
}

std::vector<Candidate> candidates(const DecompiledLayer& l) {
  std::vector<Candidate> all;
  const int kh = (l.kernel_h - 1) * l.dilation + 1;
  const int kw = (l.kernel_w - 1) * l.dilation + 1;
  std::vector<std::pair<int, int>> strides;
  if (l.stride_h > 0 && l.stride_w > 0) strides.emplace_back(l.stride_h, l.stride_w);
  for (const int s : {1, 2, 4}) {
    if (std::find(strides.begin(), strides.end(), std::pair(s, s)) == strides.end()) {
      strides.emplace_back(s, s);
    }
  }
  for (const auto& [sh, sw] : strides) {
    all.push_back(same(l, sh, sw));
    all.push_back({valid_size(l.in.h, kh, sh), valid_size(l.in.w, kw, sw), sh, sw,
                   DecompiledLayer::Pad::valid});
  }
  for (const auto& [sh, sw] : strides) {
    for (int total = 1; total <= 2 * std::max(kh, kw) && total <= 16; ++total) {
      for (int before = 0; before <= total; ++before) {
        all.push_back({valid_size(l.in.h + total, kh, sh), valid_size(l.in.w + total, kw, sw), sh,
                       sw, DecompiledLayer::Pad::given, before, before, total - before,
                       total - before});
      }
    }
  }
  return all;
}

// How many rows and columns of a window are constants throughout, from its edge inwards.
Outside outside_of(const std::optional<Corner>& corner, const SizeContext& context,
                   const DecompiledLayer& l, bool behind) {
  Outside found;
  if (!corner) return found;
  const Nest& n = context.replay.steps.nest(corner->step);
  const auto w = window_of(n, l.type == LayerType::depthwise, round4(l.in.c));
  if (!w) return found;
  const int64_t start = n.in.start + (behind ? w->last : 0);
  const auto constant = [&](int64_t row, int64_t column) {
    const int64_t y = behind ? w->kernel_h - 1 - row : row;
    const int64_t x = behind ? w->kernel_w - 1 - column : column;
    const int64_t at = (start + y * w->tap_y + x * w->tap_x) / 4;
    return std::binary_search(corner->constants.begin(), corner->constants.end(), at);
  };
  const auto row = [&](int64_t y) {
    for (int64_t x = 0; x < w->kernel_w; ++x) {
      if (!constant(y, x)) return false;
    }
    return true;
  };
  const auto column = [&](int64_t x) {
    for (int64_t y = 0; y < w->kernel_h; ++y) {
      if (!constant(y, x)) return false;
    }
    return true;
  };
  if (w->kernel_h > 1 && w->tap_y > 0) {
    found.rows = 0;
    while (found.rows < w->kernel_h && row(found.rows)) ++found.rows;
  }
  if (w->kernel_w > 1 && w->tap_x > 0) {
    found.columns = 0;
    while (found.columns < w->kernel_w && column(found.columns)) ++found.columns;
  }
  return found;
}

Outside largest(const Outside& x, const Outside& y) {
  return {std::max(x.rows, y.rows), std::max(x.columns, y.columns)};
}

// Of all bands, whatever their order: those that do not reach an edge see nothing there.
Border border_of(const DecompiledLayer& l, const SizeContext& context) {
  Border border;
  for (const size_t s : l.stages) {
    const Stage& stage = context.stages[s];
    border.front = largest(border.front, outside_of(stage.first, context, l, false));
    border.back = largest(border.back, outside_of(stage.last, context, l, true));
  }
  return border;
}

bool agrees(const Candidate& c, const Border& border, const DecompiledLayer& l) {
  const auto taps = [&](int pixels) { return (std::max(0, pixels) + l.dilation - 1) / l.dilation; };
  // What the last window reaches behind the picture, whatever padding there may be.
  const int below = c.top + l.in.h;
  const int right = c.left + l.in.w;
  const int end_h = (c.h - 1) * c.stride_h + (l.kernel_h - 1) * l.dilation + 1;
  const int end_w = (c.w - 1) * c.stride_w + (l.kernel_w - 1) * l.dilation + 1;
  const auto equal = [](int seen, int wanted) { return seen < 0 || seen == wanted; };
  return equal(border.front.rows, taps(c.top)) && equal(border.front.columns, taps(c.left)) &&
         equal(border.back.rows, taps(end_h - below)) &&
         equal(border.back.columns, taps(end_w - right));
}

// The padding as it was seen, where sides differ.
void add_seen(std::vector<Candidate>& all, const Border& border, const DecompiledLayer& l) {
  if (!border.seen()) return;
  Candidate c;
  c.stride_h = std::max(1, l.stride_h);
  c.stride_w = std::max(1, l.stride_w);
  c.pad = DecompiledLayer::Pad::given;
  c.top = border.front.rows * l.dilation;
  c.left = border.front.columns * l.dilation;
  c.bottom = border.back.rows * l.dilation;
  c.right = border.back.columns * l.dilation;
  c.h = valid_size(l.in.h + c.top + c.bottom, (l.kernel_h - 1) * l.dilation + 1, c.stride_h);
  c.w = valid_size(l.in.w + c.left + c.right, (l.kernel_w - 1) * l.dilation + 1, c.stride_w);
  all.push_back(c);
}

void take(DecompiledLayer& l, const Candidate& c) {
  l.out.h = c.h;
  l.out.w = c.w;
  l.stride_h = c.stride_h;
  l.stride_w = c.stride_w;
  l.pad = c.pad;
  l.pad_top = c.top;
  l.pad_left = c.left;
  l.pad_bottom = c.bottom;
  l.pad_right = c.right;
}

bool announced(const SizeContext& context, int h, int w, int c) {
  return std::any_of(context.announced.begin(), context.announced.end(), [&](const Extent2D& e) {
    return e.h == h && e.w == w && round4(e.c) == round4(c);
  });
}

// The channels that the file announces for an output of this size, else `c`.
int real_channels(const SizeContext& context, int h, int w, int c) {
  for (const Extent2D& e : context.announced) {
    if (e.h == h && e.w == w && round4(e.c) == c) return e.c;
  }
  return c;
}

// Columns of a band over the first row of tiles, rows over the first column; 0: not to be seen.
std::pair<int64_t, int64_t> extent_of_band(const Stage& stage, const SizeContext& context,
                                           bool depthwise) {
  std::array<int64_t, 4> columns{};
  std::array<int64_t, 4> rows{};
  for (const size_t s : stage.steps) {
    const Nest& n = context.replay.steps.nest(s);
    const auto w = window_of(n, depthwise);
    if (!w) continue;
    for (unsigned t = 0; t < 4; ++t) {
      if ((n.tiles >> t & 1U) != 0) columns[t] = std::max(columns[t], w->columns);
      if ((n.tiles >> (4 * t) & 1U) != 0) rows[t] = std::max(rows[t], w->rows);
    }
  }
  return {columns[0] + columns[1] + columns[2] + columns[3], rows[0] + rows[1] + rows[2] + rows[3]};
}

using Candidates = std::span<const Candidate>;

// What bands measure: of the first one, whether all are as wide or as high, and their sums.
struct Bands {
  std::pair<int64_t, int64_t> first{0, 0};
  int64_t width = 0, height = 0;
  bool same_width = true, same_height = true;
};

Bands measure(const DecompiledLayer& l, const SizeContext& context) {
  Bands b;
  for (const size_t s : l.stages) {
    const auto band = extent_of_band(context.stages[s], context, l.type == LayerType::depthwise);
    if (s == l.stages.front()) b.first = band;
    b.same_width = b.same_width && band.first == b.first.first;
    b.same_height = b.same_height && band.second == b.first.second;
    b.width += band.first;
    b.height += band.second;
  }
  return b;
}

// Bands that overlap compute some positions twice: one side is that of every band, the other at
// most their sum.
const Candidate* measured(const Bands& b, const Total& total, Candidates candidates) {
  if (b.first.first <= 0 || b.first.second <= 0) return nullptr;
  for (const Candidate& c : candidates) {
    if (c.h <= 0 || c.w <= 0 || int64_t{c.h} * c.w > total.pixels) continue;
    const bool by_width = b.same_width && c.w == b.first.first && c.h <= b.height;
    const bool by_height = b.same_height && c.h == b.first.second && c.w <= b.width;
    if (by_width || by_height) return &c;
  }
  return nullptr;
}

// Bands that overlap in both directions, or whose parameters stayed where they were: not more than
// what all compute, and not less than half of it.
const Candidate* within(const Total& total, Candidates candidates, bool given) {
  for (const Candidate& c : candidates) {
    const int64_t pixels = int64_t{c.h} * c.w;
    if (c.h <= 0 || c.w <= 0 || pixels > total.pixels || pixels * 2 < total.pixels) continue;
    if (given || c.pad != DecompiledLayer::Pad::given) return &c;
  }
  return nullptr;
}

const Candidate* exact(const DecompiledLayer& l, const SizeContext& context, const Total& total,
                       Candidates all) {
  const auto fits = [&](const Candidate& c) {
    return int64_t{c.h} * c.w == total.pixels && (total.width == 0 || c.w == total.width);
  };
  for (const Candidate& c : all) {
    if (c.h > 0 && announced(context, c.h, c.w, l.out.c) && fits(c)) return &c;
  }
  for (const bool strict : {true, false}) {
    for (const Candidate& c : all) {
      if (c.h <= 0 || c.w <= 0) continue;
      if (strict ? fits(c) : int64_t{c.h} * c.w == total.pixels) return &c;
    }
  }
  return nullptr;
}

bool size_window(DecompiledLayer& l, const SizeContext& context, const Total& total) {
  if (l.in.h <= 0 || l.in.w <= 0) return false;
  std::vector<Candidate> all = candidates(l);
  const Border border = border_of(l, context);
  add_seen(all, border, l);
  // What lies around the picture tells the padding where sizes do not.
  const auto end = std::stable_partition(all.begin(), all.end(), [&](const Candidate& c) {
    const bool other =
        l.stride_h > 0 && l.stride_w > 0 && (c.stride_h != l.stride_h || c.stride_w != l.stride_w);
    return !other && agrees(c, border, l);
  });
  const auto agreeing = Candidates(all).first(static_cast<size_t>(end - all.begin()));
  const Bands bands = measure(l, context);
  const bool seen = l.kernel_h * l.kernel_w == 1 || border.seen();
  const bool banded = l.stages.size() > 1;
  const Candidate* c = nullptr;
  // Bands may overlap: what all compute together is the size of the output only by chance.
  if (!banded) c = exact(l, context, total, agreeing);
  if (c == nullptr && !banded) c = exact(l, context, total, all);
  if (c == nullptr) c = measured(bands, total, agreeing);
  if (c == nullptr && seen) c = within(total, agreeing, true);
  if (c == nullptr && banded) c = exact(l, context, total, all);
  if (c == nullptr && banded) c = measured(bands, total, all);
  if (c == nullptr && banded) c = within(total, all, false);
  if (c != nullptr) take(l, *c);
  return c != nullptr;
}

// Columns of the four tiles of the first row, if all are to be seen.
int64_t width_of(const DecompiledLayer& l, const SizeContext& context, bool depthwise) {
  std::array<int64_t, 4> columns{};
  const auto& first = context.stages[l.stages.front()];
  for (const size_t s : first.steps) {
    const Nest& n = context.replay.steps.nest(s);
    const auto w = window_of(n, depthwise);
    if (!w) return 0;
    for (unsigned t = 0; t < 4; ++t) {
      if ((n.tiles >> t & 1U) == 0) continue;
      if (w->columns == 0) return 0;
      columns[t] = w->columns;
    }
  }
  return columns[0] + columns[1] + columns[2] + columns[3];
}

void size_weighted(DecompiledLayer& l, const SizeContext& context) {
  const bool depthwise = l.type == LayerType::depthwise;
  const auto first = window_of(l.numbers, depthwise);
  if (!first) {
    l.problem = "the levels of its traversals make no window";
    return;
  }
  Total total;
  for (const size_t s : l.steps) {
    const Nest& n = context.replay.steps.nest(s);
    const auto w = window_of(n, depthwise);
    if (!w) {
      l.problem = "the levels of its traversals make no window";
      return;
    }
    const int64_t tiles = std::popcount(n.tiles);
    total.pixels += w->pixels * tiles;
    total.largest = std::max(total.largest, w->pixels);
    total.channels += w->out_channels * tiles;
  }
  if (l.stages.size() == 1) total.width = width_of(l, context, depthwise);
  l.kernel_h = static_cast<int>(first->kernel_h);
  l.kernel_w = static_cast<int>(first->kernel_w);
  l.dilation = static_cast<int>(first->dilation);
  l.stride_h = static_cast<int>(first->stride_h);
  l.stride_w = static_cast<int>(first->stride_w);
  l.out.c = static_cast<int>(first->out_channels);
  l.shape.order = first->input_inner ? LineOrder::input_inner : LineOrder::input_outer;
  const int64_t all_words = first->in_channels / 4;
  if (first->inner_words > 1 && first->inner_words < all_words) {
    l.shape.inner_words = static_cast<int>(first->inner_words);
  }
  const auto words = static_cast<int64_t>(first->in_channels);
  const int64_t positions = int64_t{l.in.h} * l.in.w;
  const bool one = !depthwise && total.largest == 1;
  const bool padded = positions * round4(l.in.c) == words;
  const bool packed = (positions * l.in.c + 3) / 4 * 4 == words;
  const bool whole_input = one && words != round4(l.in.c) && (padded || packed);
  const bool pointwise = l.kernel_h * l.kernel_w == 1;
  if (whole_input || (one && positions == 1 && pointwise)) {
    l.type = LayerType::dense;
    l.flat = whole_input;
    l.packed = whole_input && !padded;
    l.out = {1, 1, static_cast<int>(total.channels)};
    l.out.c = real_channels(context, 1, 1, l.out.c);
    l.stride_h = l.stride_w = 1;
    return;
  }
  // Only one position: the buffer may be as large as the window.
  const auto split = window_of(l.numbers, depthwise, round4(l.in.c));
  if (total.largest == 1 && split && split->in_channels == round4(l.in.c)) {
    l.kernel_h = static_cast<int>(split->kernel_h);
    l.kernel_w = static_cast<int>(split->kernel_w);
    l.shape.order = split->input_inner ? LineOrder::input_inner : LineOrder::input_outer;
  } else if (words != round4(l.in.c)) {
    l.problem =
        "it reads " + std::to_string(words) + " channels, its input has " + std::to_string(l.in.c);
    return;
  }
  if (!size_window(l, context, total)) {
    l.problem = std::to_string(total.pixels) + " positions are no output of " +
                std::to_string(l.in.h) + " x " + std::to_string(l.in.w);
    return;
  }
  if (depthwise && l.in.c != l.out.c) l.out.c = l.in.c;
  l.out.c = real_channels(context, l.out.h, l.out.w, l.out.c);
}

// parameters.cc reads what the matrix does.
void size_selection(DecompiledLayer& l, const SizeContext& context) {
  int64_t positions = 0;
  std::optional<Window> window;
  for (const size_t s : l.steps) {
    const Nest& n = context.replay.steps.nest(s);
    const auto w = window_of(n, false);
    if (!w) {
      l.problem = "the levels of its traversals make no window";
      return;
    }
    if (!window) window = w;
    positions += w->pixels * std::popcount(n.tiles);
  }
  if (!window) return;
  l.out = {1, 1, static_cast<int>(window->out_channels)};
  l.shape.order = window->input_inner ? LineOrder::input_inner : LineOrder::input_outer;
  // What one output reads, wherever its words lie.
  constexpr uint64_t kMost = 1U << 20U;
  l.shape.in = static_cast<int>(4 * std::min(l.numbers.reduction(), kMost));
  l.shape.out = static_cast<int>(window->out_channels);
  l.shape.spatial = positions > 1;
}

void size_pool(DecompiledLayer& l, const SizeContext& context) {
  const auto a = static_cast<int>(l.numbers.loop[0]);
  const auto b = static_cast<int>(l.numbers.loop[1]);
  int count = static_cast<int>(std::lround(1.0F / l.numbers.multiplier));
  l.out.c = l.in.c;
  if (l.numbers.kind == 0x1870) {
    count = a * b;
    l.kernel_w = a;
    l.kernel_h = b;
  } else {
    l.kernel_w = l.kernel_h = static_cast<int>(std::lround(std::sqrt(static_cast<double>(count))));
  }
  if (count <= 0) {
    l.problem = "its multiplier is that of no window";
    return;
  }
  if (int64_t{l.in.h} * l.in.w == count) {
    // The whole picture; where it is one position per tile, tiles share the channels.
    l.kernel_h = l.in.h;
    l.kernel_w = l.in.w;
    return take(l, {1, 1, 1, 1, DecompiledLayer::Pad::valid});
  }
  Total total;
  for (const size_t s : l.steps) {
    const Nest& n = context.replay.steps.nest(s);
    const Positions p = positions_of(n);
    // One position in several tiles: channels are spread.
    total.pixels += p.pixels * std::popcount(n.tiles);
  }
  std::vector<Candidate> all;
  for (const int s : {l.kernel_h, 1, 2, 3, 4}) {
    all.push_back({valid_size(l.in.h, l.kernel_h, s), valid_size(l.in.w, l.kernel_w, s), s, s,
                   DecompiledLayer::Pad::valid});
    all.push_back({same_size(l.in.h, s), same_size(l.in.w, s), s, s, DecompiledLayer::Pad::same});
  }
  for (const Candidate& c : all) {
    if (c.h > 0 && c.w > 0 && int64_t{c.h} * c.w == total.pixels) return take(l, c);
  }
  l.problem = std::to_string(total.pixels) + " positions are no pool of " + std::to_string(l.in.h) +
              " x " + std::to_string(l.in.w) + " by " + std::to_string(l.kernel_h) + " x " +
              std::to_string(l.kernel_w);
}

void size_resize(DecompiledLayer& l, const SizeContext& context) {
  int64_t pixels = 0;
  for (const size_t s : l.steps) {
    const Nest& n = context.replay.steps.nest(s);
    pixels += positions_of(n).pixels * std::popcount(n.tiles);
  }
  l.out = l.in;
  for (int factor = 1; factor <= 16; ++factor) {
    if (int64_t{l.in.h} * factor * l.in.w * factor != pixels) continue;
    l.out.h = l.in.h * factor;
    l.out.w = l.in.w * factor;
    return;
  }
  l.problem = std::to_string(pixels) + " positions are no whole enlargement of " +
              std::to_string(l.in.h) + " x " + std::to_string(l.in.w);
}

}  // namespace

void find_size(DecompiledLayer& layer, const SizeContext& context) {
  switch (layer.type) {
    case LayerType::conv:
    case LayerType::depthwise:
    case LayerType::dense:
      return size_weighted(layer, context);
    case LayerType::concat:
      return size_selection(layer, context);
    case LayerType::average_pool:
      return size_pool(layer, context);
    case LayerType::resize:
      return size_resize(layer, context);
    case LayerType::quantize:
      layer.out = layer.in;
      return;
    case LayerType::unknown:
      layer.problem = "what it computes is not known";
      return;
    default:
      layer.out = layer.in;
  }
}

}  // namespace edgetwin::edgetpu

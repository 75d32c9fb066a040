#include "targets/edgetpu/decompile/sizes/picture_border.h"

#include <algorithm>
#include <optional>
#include <utility>

namespace edgetwin::edgetpu {
namespace {

// The window at a corner of the picture, and which of its taps are constants.
struct CornerWindow {
  const Corner& corner;
  Window window;
  int64_t start = 0;  // of the first window, or of the last one
  bool behind = false;

  bool constant(int64_t row, int64_t column) const {
    const int64_t y = behind ? window.kernel_h - 1 - row : row;
    const int64_t x = behind ? window.kernel_w - 1 - column : column;
    const int64_t at = (start + y * window.tap_y + x * window.tap_x) / 4;
    return std::binary_search(corner.constants.begin(), corner.constants.end(), at);
  }
  bool row(int64_t y) const {
    for (int64_t x = 0; x < window.kernel_w; ++x) {
      if (!constant(y, x)) return false;
    }
    return true;
  }
  bool column(int64_t x) const {
    for (int64_t y = 0; y < window.kernel_h; ++y) {
      if (!constant(y, x)) return false;
    }
    return true;
  }
};

// How many rows and columns of a window are constants throughout, from its edge inwards.
ConstantTaps outside_of(const std::optional<Corner>& corner, const SizeContext& context,
                        const DecompiledLayer& l, bool behind) {
  ConstantTaps found;
  if (!corner) return found;
  const Nest& n = context.replay.steps.nest(corner->step);
  auto w = window_of(n, l.type == LayerType::depthwise, padded_channels(l.in.c));
  if (!w) return found;
  // Taps of a single position that turned out to be a column.
  if (w->kernel_h == 1 && l.kernel_w == 1 && l.kernel_h == w->kernel_w) {
    std::swap(w->kernel_h, w->kernel_w);
    std::swap(w->tap_y, w->tap_x);
  }
  const CornerWindow at{*corner, *w, n.in.start + (behind ? w->last : 0), behind};
  if (w->kernel_h > 1 && w->tap_y > 0) {
    found.rows = 0;
    while (found.rows < w->kernel_h && at.row(found.rows)) ++found.rows;
  }
  if (w->kernel_w > 1 && w->tap_x > 0) {
    found.columns = 0;
    while (found.columns < w->kernel_w && at.column(found.columns)) ++found.columns;
  }
  return found;
}

ConstantTaps largest(const ConstantTaps& x, const ConstantTaps& y) {
  return {std::max(x.rows, y.rows), std::max(x.columns, y.columns)};
}

}  // namespace

// Of all bands, whatever their order: those that do not reach an edge see nothing there.
PictureBorder border_of(const DecompiledLayer& l, const SizeContext& context) {
  PictureBorder border;
  for (const size_t s : l.stages) {
    const Stage& stage = context.stages[s];
    border.front = largest(border.front, outside_of(stage.first, context, l, false));
    border.back = largest(border.back, outside_of(stage.last, context, l, true));
  }
  return border;
}

bool agrees_with(const SizeCandidate& c, const PictureBorder& border, const DecompiledLayer& l) {
  const auto taps = [&](int pixels) { return (std::max(0, pixels) + l.dilation - 1) / l.dilation; };
  // What the last window reaches after the picture, whatever padding there may be.
  const int below = c.top + l.in.h;
  const int right = c.left + l.in.w;
  const int end_h = (c.h - 1) * c.stride_h + (l.kernel_h - 1) * l.dilation + 1;
  const int end_w = (c.w - 1) * c.stride_w + (l.kernel_w - 1) * l.dilation + 1;
  const auto equal = [](int seen, int wanted) { return seen < 0 || seen == wanted; };
  return equal(border.front.rows, taps(c.top)) && equal(border.front.columns, taps(c.left)) &&
         equal(border.back.rows, taps(end_h - below)) &&
         equal(border.back.columns, taps(end_w - right));
}

bool reaches_beyond(const SizeCandidate& c, const PictureBorder& border, const DecompiledLayer& l) {
  PictureBorder front = border;
  front.back = {};
  const int end_h = (c.h - 1) * c.stride_h + (l.kernel_h - 1) * l.dilation + 1;
  const int end_w = (c.w - 1) * c.stride_w + (l.kernel_w - 1) * l.dilation + 1;
  const auto taps = [&](int pixels) { return (std::max(0, pixels) + l.dilation - 1) / l.dilation; };
  return agrees_with(c, front, l) && border.back.rows >= taps(end_h - c.top - l.in.h) &&
         border.back.columns >= taps(end_w - c.left - l.in.w);
}

void add_seen_padding(std::vector<SizeCandidate>& all, const PictureBorder& border,
                      const DecompiledLayer& l) {
  if (!border.seen()) return;
  SizeCandidate c;
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

}  // namespace edgetwin::edgetpu

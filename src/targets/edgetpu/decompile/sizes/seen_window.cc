#include "targets/edgetpu/decompile/sizes/seen_window.h"

#include <algorithm>

#include "targets/edgetpu/decompile/sizes/size_candidates.h"

namespace edgetwin::edgetpu {
namespace {

int before(int in, int out, int reach, int stride) {
  return std::max(0, (out - 1) * stride + reach - in) / 2;
}

// As one of the usual paddings, else as a given one.
SizeCandidate candidate_of(const DecompiledLayer& l, const SeenWindow& w) {
  const int kh = (w.kernel_h - 1) * w.dilation + 1, kw = (w.kernel_w - 1) * w.dilation + 1;
  SizeCandidate c{w.out_h, w.out_w, w.stride_h, w.stride_w};
  c.top = w.top, c.left = w.left;
  const bool same = same_size(l.in.h, w.stride_h) == w.out_h &&
                    same_size(l.in.w, w.stride_w) == w.out_w &&
                    before(l.in.h, w.out_h, kh, w.stride_h) == w.top &&
                    before(l.in.w, w.out_w, kw, w.stride_w) == w.left;
  if (same) return c;
  const bool valid = w.top == 0 && w.left == 0 && valid_size(l.in.h, kh, w.stride_h) == w.out_h &&
                     valid_size(l.in.w, kw, w.stride_w) == w.out_w;
  c.pad = valid ? DecompiledLayer::Pad::valid : DecompiledLayer::Pad::given;
  if (valid) return c;
  c.bottom = std::max(0, (w.out_h - 1) * w.stride_h + kh - l.in.h - w.top);
  c.right = std::max(0, (w.out_w - 1) * w.stride_w + kw - l.in.w - w.left);
  return c;
}

bool is_taken(const DecompiledLayer& l, const SizeCandidate& c) {
  const bool same =
      l.out.h == c.h && l.out.w == c.w && l.stride_h == c.stride_h && l.stride_w == c.stride_w;
  if (!same || l.pad != c.pad) return false;
  return l.pad != DecompiledLayer::Pad::given || (l.pad_top == c.top && l.pad_left == c.left);
}

// Taps of one direction that lie apart are a column, not a dilated row, where only a column was
// seen, or all taps of the row but one lie beside the picture.
void take_column(DecompiledLayer& l) {
  if (l.kernel_h != 1 || l.dilation == 1) return;
  const auto is_row = [&](const SeenWindow& w) {
    return w.kernel_h == 1 && w.kernel_w == l.kernel_w && w.left < l.in.w;
  };
  const auto is_column = [&](const SeenWindow& w) {
    return w.kernel_w == 1 && w.kernel_h == l.kernel_w && w.dilation == 1;
  };
  if (std::ranges::any_of(l.seen, is_row) || std::ranges::none_of(l.seen, is_column)) return;
  std::swap(l.kernel_h, l.kernel_w);
  l.dilation = 1;
}

}  // namespace

bool take_seen_window(DecompiledLayer& l) {
  take_column(l);
  std::vector<SizeCandidate> all;
  for (SeenWindow w : l.seen) {
    const bool same = w.kernel_h == l.kernel_h && w.kernel_w == l.kernel_w &&
                      (w.dilation == l.dilation || w.kernel_h * w.kernel_w == 1);
    if (!same || w.top < 0 || w.left < 0) continue;
    // One row or column has no stride to be seen: the other direction's, if that is usual.
    const SeenWindow own = w;
    if (w.out_h == 1) w.stride_h = w.stride_w;
    if (w.out_w == 1) w.stride_w = w.stride_h;
    if (candidate_of(l, w).pad == DecompiledLayer::Pad::given) w = own;
    all.push_back(candidate_of(l, w));
  }
  if (all.empty()) return false;
  const auto taken = [&](const SizeCandidate& c) { return is_taken(l, c); };
  if (std::any_of(all.begin(), all.end(), taken)) return true;
  const auto given = [](const SizeCandidate& c) { return c.pad == DecompiledLayer::Pad::given; };
  std::stable_partition(all.begin(), all.end(), [&](const auto& c) { return !given(c); });
  take_candidate(l, all.front());
  return true;
}

}  // namespace edgetwin::edgetpu

#include "targets/edgetpu/decompile/sizes/size_candidates.h"

#include <algorithm>
#include <utility>

namespace edgetwin::edgetpu {
namespace {

SizeCandidate same(const DecompiledLayer& l, int sh, int sw) {
  const int kh = (l.kernel_h - 1) * l.dilation + 1;
  const int kw = (l.kernel_w - 1) * l.dilation + 1;
  SizeCandidate c{same_size(l.in.h, sh), same_size(l.in.w, sw), sh, sw};
  c.top = std::max(0, (c.h - 1) * sh + kh - l.in.h) / 2;
  c.left = std::max(0, (c.w - 1) * sw + kw - l.in.w) / 2;
  return c;
}

}  // namespace

int same_size(int in, int stride) { return (in + stride - 1) / stride; }
int valid_size(int in, int kernel, int stride) {
  return in < kernel ? 0 : (in - kernel) / stride + 1;
}

std::vector<SizeCandidate> size_candidates(const DecompiledLayer& l) {
  std::vector<SizeCandidate> all;
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

void take_candidate(DecompiledLayer& l, const SizeCandidate& c) {
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

}  // namespace edgetwin::edgetpu

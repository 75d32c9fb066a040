#include "targets/edgetpu/decompile/compare/transposed.h"

#include <algorithm>

namespace edgetwin::edgetpu {
namespace {

// Outputs along one axis that have the same taps.
struct TurnAxis {
  int64_t outputs = 0;
  int tap = 0, kernel = 0, pad = 0;
};

// Empty: one of them has no window.
std::vector<TurnAxis> turns_of(int64_t in, int64_t out, int kernel, int stride, bool same) {
  if (stride <= 0) return {};
  const int64_t beyond = std::max<int64_t>(0, (in - 1) * stride + kernel - out);
  const int64_t front = same ? beyond / 2 : 0;
  std::vector<TurnAxis> all;
  for (int64_t first = 0; first < std::min<int64_t>(stride, out); ++first) {
    TurnAxis t;
    t.outputs = (out - first + stride - 1) / stride;
    t.tap = static_cast<int>((first + front) % stride);
    t.kernel = (std::max(0, kernel - t.tap) + stride - 1) / stride;
    t.pad = t.kernel - 1 - static_cast<int>((first + front) / stride);
    if (t.kernel <= 0 || t.pad < 0) return {};
    all.push_back(t);
  }
  return all;
}

Bytes taps_of(const NetworkLayer& whole, const TransposeConvAttrs& a, const TurnAxis& y,
              const TurnAxis& x) {
  Bytes taps;
  for (int64_t o = 0; o < whole.out_c; ++o) {
    for (int v = y.kernel - 1; v >= 0; --v) {
      for (int u = x.kernel - 1; u >= 0; --u) {
        const int64_t row = o * whole.kernel_h + y.tap + int64_t{v} * a.stride_h;
        const int64_t at = (row * whole.kernel_w + x.tap + int64_t{u} * a.stride_w) * whole.in_c;
        const auto from = whole.weights.begin() + static_cast<long>(at);
        taps.insert(taps.end(), from, from + static_cast<long>(whole.in_c));
      }
    }
  }
  return taps;
}

}  // namespace

std::vector<NetworkLayer> transposed_parts(const NetworkLayer& whole, const TransposeConvAttrs& a) {
  const bool same = a.padding.kind == Padding::Kind::same;
  const auto rows = turns_of(whole.in_h, whole.out_h, whole.kernel_h, a.stride_h, same);
  const auto columns = turns_of(whole.in_w, whole.out_w, whole.kernel_w, a.stride_w, same);
  const int64_t weights = whole.out_c * whole.kernel_h * whole.kernel_w * whole.in_c;
  if (static_cast<int64_t>(whole.weights.size()) != weights) return {};
  std::vector<NetworkLayer> parts;
  for (const TurnAxis& y : rows) {
    for (const TurnAxis& x : columns) {
      NetworkLayer l = whole;
      l.label += ", part " + std::to_string(parts.size() + 1);
      l.kernel_h = y.kernel, l.kernel_w = x.kernel;
      l.pad_top = y.pad, l.pad_left = x.pad;
      l.out_h = y.outputs, l.out_w = x.outputs;
      l.weights = taps_of(whole, a, y, x);
      parts.push_back(std::move(l));
    }
  }
  return parts;
}

}  // namespace edgetwin::edgetpu

#include "targets/edgetpu/decompile/compare/one_position.h"

namespace edgetwin::edgetpu {
namespace {

constexpr int64_t kMostBytes = int64_t{1} << 26U;

// Where weights of the layer stand in its rows.
struct Places {
  int64_t in_h, in_w;
  bool depthwise;

  void copy(const NetworkLayer& l, Bytes& rows) const {
    const int64_t per = depthwise ? 1 : l.in_c;
    const int64_t row = in_h * in_w * l.in_c;
    for (int64_t o = 0; o < l.out_c; ++o) {
      for (int64_t y = 0; y < l.kernel_h; ++y) {
        for (int64_t x = 0; x < l.kernel_w; ++x) {
          const int64_t v = y - l.pad_top;
          const int64_t u = x - l.pad_left;
          if (v < 0 || v >= in_h || u < 0 || u >= in_w) continue;
          const int64_t tap = (y * l.kernel_w + x) * per;
          for (int64_t c = 0; c < per; ++c) {
            const int64_t channel = depthwise ? o : c;
            rows[static_cast<size_t>(o * row + (v * in_w + u) * l.in_c + channel)] =
                l.weights[static_cast<size_t>(o * l.kernel_h * l.kernel_w * per + tap + c)];
          }
        }
      }
    }
  }
};

}  // namespace

void as_whole_word(NetworkLayer& l) {
  constexpr int64_t kWord = 4;
  const int64_t taps = int64_t{l.kernel_h} * l.kernel_w;
  const bool several = l.in_c > 0 && l.out_c > l.in_c && l.out_c % l.in_c == 0;
  const bool one = l.kind == "DEPTHWISE_CONV_2D" &&
                   (several || (l.in_c == l.out_c && l.out_c <= kWord)) &&
                   l.zero_points.size() == 3 && taps > 0 &&
                   static_cast<int64_t>(l.weights.size()) == l.out_c * taps;
  if (!one || l.in_c > kMostBytes / (l.out_c * taps)) return;
  const int64_t times = l.out_c / l.in_c;
  Bytes all(l.weights.size() * static_cast<size_t>(l.in_c),
            static_cast<std::byte>(l.zero_points[1]));
  for (int64_t o = 0; o < l.out_c; ++o) {
    for (int64_t t = 0; t < taps; ++t) {
      all[static_cast<size_t>((o * taps + t) * l.in_c + o / times)] =
          l.weights[static_cast<size_t>(o * taps + t)];
    }
  }
  l.kind = "CONV_2D";
  l.weights = std::move(all);
}

void as_one_row(NetworkLayer& l) {
  const int64_t in_h = l.in_h;
  const int64_t in_w = l.in_w;
  constexpr size_t kOneZero = 3;  // of input, weights, output
  const bool depthwise = l.kind == "DEPTHWISE_CONV_2D";
  const bool one = (depthwise || l.kind == "CONV_2D") && l.out_h == 1 && l.out_w == 1 &&
                   l.dilation_h == 1 && l.dilation_w == 1 && l.zero_points.size() == kOneZero;
  const int64_t per = depthwise ? 1 : l.in_c;
  const int64_t weights = l.out_c * l.kernel_h * l.kernel_w * per;
  if (!one || l.weights.empty() || static_cast<int64_t>(l.weights.size()) != weights) return;
  if (depthwise && l.out_c != l.in_c) return;
  if (in_h * in_w == 1 && l.kernel_h * l.kernel_w == 1 && !depthwise) return;
  constexpr int64_t kMostSide = 65536;
  if (in_h <= 0 || in_w <= 0 || in_h > kMostSide || in_w > kMostSide || l.in_c > kMostSide) return;
  const int64_t row = in_h * in_w * l.in_c;
  if (l.out_c > kMostBytes / row) return;
  Bytes rows(static_cast<size_t>(l.out_c * row), static_cast<std::byte>(l.zero_points[1]));
  Places{in_h, in_w, depthwise}.copy(l, rows);
  l.kind = "CONV_2D";
  l.weights = std::move(rows);
  l.in_c = row;
  l.kernel_h = l.kernel_w = 1;
  l.pad_top = l.pad_left = 0;
}

}  // namespace edgetwin::edgetpu

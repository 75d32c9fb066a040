// AVERAGE_POOL_2D and MAX_POOL_2D: the plain walk. Source: kernel specification 3.3.
#pragma once

#include <algorithm>

#include "numerics/rules.h"
#include "tensor/tensor.h"
#include "tensor/window.h"

namespace edgetwin::ops {

// Channels are taken in blocks of this size, so that a tap is a run in memory.
inline constexpr int kPoolBlock = 64;

// One output position of up to kPoolBlock channels from `first` on.
template <numerics::PoolRule R>
void pool_position(const Window2D& g, View4<const typename R::Element> x, const R& rule,
                   View4<typename R::Element> y, int n, int oy, int ox, int first) {
  const int channels = std::min(kPoolBlock, g.out_c - first);
  typename R::Acc acc[kPoolBlock];
  std::fill_n(acc, channels, rule.start());
  int count = 0;
  for (int ky = 0; ky < g.kernel_h; ++ky) {
    for (int kx = 0; kx < g.kernel_w; ++kx) {
      const int iy = g.row(oy, ky);
      const int ix = g.column(ox, kx);
      if (!g.inside(iy, ix)) continue;
      const auto* in = &x(n, iy, ix, first);
      for (int c = 0; c < channels; ++c) acc[c] = rule.take(acc[c], in[c]);
      ++count;
    }
  }
  for (int c = 0; c < channels; ++c) y(n, oy, ox, first + c) = rule.finish(acc[c], count);
}

// Units [begin, end) of batch * out_h * blocks of channels; taps outside the picture are left out
// and not counted.
template <numerics::PoolRule R>
void pool_2d(const Window2D& g, View4<const typename R::Element> x, const R& rule,
             View4<typename R::Element> y, int64_t begin, int64_t end) {
  const int blocks = (g.out_c + kPoolBlock - 1) / kPoolBlock;
  for (int64_t unit = begin; unit < end; ++unit) {
    const auto row = static_cast<int>(unit / blocks);
    const auto first = static_cast<int>(unit % blocks) * kPoolBlock;
    for (int ox = 0; ox < g.out_w; ++ox) {
      pool_position(g, x, rule, y, row / g.out_h, row % g.out_h, ox, first);
    }
  }
}

}  // namespace edgetwin::ops

// AVERAGE_POOL_2D and MAX_POOL_2D: the plain walk. Source: kernel specification 3.3.
#pragma once

#include "numerics/flavour.h"
#include "tensor/tensor.h"
#include "tensor/window.h"

namespace edgetwin::ops {

// Output rows [row_begin, row_end) of batch*out_h; taps outside the picture are left out and not
// counted.
template <numerics::PoolRule R>
void pool_2d(const Window2D& g, View4<const typename R::Element> x, const R& rule,
             View4<typename R::Element> y, int64_t row_begin, int64_t row_end) {
  for (int64_t row = row_begin; row < row_end; ++row) {
    const int n = static_cast<int>(row / g.out_h);
    const int oy = static_cast<int>(row % g.out_h);
    for (int ox = 0; ox < g.out_w; ++ox) {
      for (int c = 0; c < g.out_c; ++c) {
        auto acc = rule.start();
        int count = 0;
        for (int ky = 0; ky < g.kernel_h; ++ky) {
          for (int kx = 0; kx < g.kernel_w; ++kx) {
            const int iy = g.row(oy, ky);
            const int ix = g.column(ox, kx);
            if (!g.inside(iy, ix)) continue;
            acc = rule.take(acc, x(n, iy, ix, c));
            ++count;
          }
        }
        y(n, oy, ox, c) = rule.finish(acc, count);
      }
    }
  }
}

}  // namespace edgetwin::ops

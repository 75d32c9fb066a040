// TRANSPOSE_CONV: the plain walk. Source: kernel specification 2.4.
#pragma once

#include "numerics/rules.h"
#include "tensor/tensor.h"
#include "tensor/window.h"

namespace edgetwin::ops {

// `g` describes the forward convolution that maps the output picture to the input: g.in_* is the
// output of this operator and g.out_* its input. Each output element gathers the products that the
// specification scatters; the sums are the same. Rows [row_begin, row_end) of batch * g.in_h.
template <numerics::AccumulateRule R>
void transpose_conv(const Window2D& g, View4<const typename R::In> x,
                    View4<const typename R::Weight> w, const R& rule, View4<typename R::Out> y,
                    int64_t row_begin, int64_t row_end) {
  for (int64_t row = row_begin; row < row_end; ++row) {
    const int n = static_cast<int>(row / y.h);
    const int oy = static_cast<int>(row % y.h);
    for (int ox = 0; ox < y.w; ++ox) {
      for (int o = 0; o < y.c; ++o) {
        auto acc = rule.start(o);
        for (int ky = 0; ky < g.kernel_h; ++ky) {
          const int up = oy + g.pad_top - ky;
          if (up < 0 || up % g.stride_h != 0 || up / g.stride_h >= x.h) continue;
          for (int kx = 0; kx < g.kernel_w; ++kx) {
            const int left = ox + g.pad_left - kx;
            if (left < 0 || left % g.stride_w != 0 || left / g.stride_w >= x.w) continue;
            const auto* in = &x(n, up / g.stride_h, left / g.stride_w, 0);
            const auto* weight = &w(o, ky, kx, 0);
            for (int c = 0; c < x.c; ++c) acc = rule.mac(acc, in[c], weight[c], o);
          }
        }
        y(n, oy, ox, o) = rule.finish(acc, o);
      }
    }
  }
}

}  // namespace edgetwin::ops

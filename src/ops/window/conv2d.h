// CONV_2D and DEPTHWISE_CONV_2D: the plain walk, which defines the result.
// Source: kernel specification 2.1, 2.2. Layouts: x NHWC, filter OHWI (depthwise 1HWO), y NHWC.
#pragma once

#include "numerics/rules.h"
#include "tensor/tensor.h"
#include "tensor/window.h"

namespace edgetwin::ops {

// Output rows [row_begin, row_end) of batch*out_h. `w` has w.c input channels per group; output
// channel o reads group o / (out_c / groups).
template <numerics::AccumulateRule R>
void conv_2d(const Window2D& g, View4<const typename R::In> x, View4<const typename R::Weight> w,
             const R& rule, View4<typename R::Out> y, int64_t row_begin, int64_t row_end) {
  const int groups = g.in_c / w.c;
  const int channels_per_group = g.out_c / groups;
  for (int64_t row = row_begin; row < row_end; ++row) {
    const int n = static_cast<int>(row / g.out_h);
    const int oy = static_cast<int>(row % g.out_h);
    for (int ox = 0; ox < g.out_w; ++ox) {
      for (int o = 0; o < g.out_c; ++o) {
        const int first = o / channels_per_group * w.c;
        auto acc = rule.start(o);
        for (int ky = 0; ky < g.kernel_h; ++ky) {
          for (int kx = 0; kx < g.kernel_w; ++kx) {
            const int iy = g.row(oy, ky);
            const int ix = g.column(ox, kx);
            if (!g.inside(iy, ix)) continue;
            const auto* in = &x(n, iy, ix, first);
            const auto* weight = &w(o, ky, kx, 0);
            for (int c = 0; c < w.c; ++c) acc = rule.mac(acc, in[c], weight[c], o);
            acc = numerics::end_of_tap(rule, acc, o);
          }
        }
        y(n, oy, ox, o) = rule.finish(acc, o);
      }
    }
  }
}

// Output channel o reads input channel o / multiplier.
template <numerics::AccumulateRule R>
void depthwise_conv_2d(const Window2D& g, View4<const typename R::In> x,
                       View4<const typename R::Weight> w, const R& rule, View4<typename R::Out> y,
                       int64_t row_begin, int64_t row_end) {
  const int multiplier = g.out_c / g.in_c;
  for (int64_t row = row_begin; row < row_end; ++row) {
    const int n = static_cast<int>(row / g.out_h);
    const int oy = static_cast<int>(row % g.out_h);
    for (int ox = 0; ox < g.out_w; ++ox) {
      for (int o = 0; o < g.out_c; ++o) {
        auto acc = rule.start(o);
        for (int ky = 0; ky < g.kernel_h; ++ky) {
          for (int kx = 0; kx < g.kernel_w; ++kx) {
            const int iy = g.row(oy, ky);
            const int ix = g.column(ox, kx);
            if (!g.inside(iy, ix)) continue;
            acc = rule.mac(acc, x(n, iy, ix, o / multiplier), w(0, ky, kx, o), o);
            acc = numerics::end_of_tap(rule, acc, o);
          }
        }
        y(n, oy, ox, o) = rule.finish(acc, o);
      }
    }
  }
}

}  // namespace edgetwin::ops

// The definition that fast kernels are held against: seven loops, one product at a time.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "kernels/i8/conv.h"

namespace edgetwin::kernels::test {

template <class T>
struct PlainConv {
  const Conv8Spec& spec;
  const std::vector<T>& in;

  int32_t product(std::size_t x, std::size_t w) const {
    return (int32_t{in[x]} - spec.input_zero_point) *
           (int32_t{static_cast<const T*>(spec.weights)[w]} - spec.weight_zero_point);
  }

  // Sums wrap, as 32-bit accumulators do.
  uint32_t sum(int n, int oy, int ox, int oc) const {
    const Window2D& w = spec.window;
    uint32_t acc = spec.bias == nullptr ? 0U : static_cast<uint32_t>(spec.bias[oc]);
    for (int ky = 0; ky < w.kernel_h; ++ky) {
      for (int kx = 0; kx < w.kernel_w; ++kx) {
        const int y = w.row(oy, ky), x = w.column(ox, kx);
        if (!w.inside(y, x)) continue;
        const int pixel = ((n * w.in_h + y) * w.in_w + x) * w.in_c;
        if (spec.depthwise) {
          acc += static_cast<uint32_t>(
              product(static_cast<std::size_t>(pixel + oc / (w.out_c / w.in_c)),
                      static_cast<std::size_t>((ky * w.kernel_w + kx) * w.out_c + oc)));
          continue;
        }
        const int tap = ((oc * w.kernel_h + ky) * w.kernel_w + kx) * w.in_c;
        for (int c = 0; c < w.in_c; ++c) {
          acc += static_cast<uint32_t>(
              product(static_cast<std::size_t>(pixel + c), static_cast<std::size_t>(tap + c)));
        }
      }
    }
    return acc;
  }

  T finish(uint32_t acc, int oc) const {
    const AffineTail& t = spec.tail;
    const auto m = t.multipliers[t.multipliers.size() == 1 ? 0 : static_cast<std::size_t>(oc)];
    const auto x = static_cast<int32_t>(acc);
    const int64_t y = t.requantization == numerics::Requantization::double_rounding
                          ? numerics::multiply_double_rounding(x, m)
                          : numerics::multiply_single_rounding(x, m);
    return static_cast<T>(std::clamp<int64_t>(y + t.output_zero_point, t.act_min, t.act_max));
  }

  std::vector<T> run() const {
    const Window2D& w = spec.window;
    std::vector<T> out;
    for (int n = 0; n < w.batch; ++n) {
      for (int y = 0; y < w.out_h; ++y) {
        for (int x = 0; x < w.out_w; ++x) {
          for (int c = 0; c < w.out_c; ++c) out.push_back(finish(sum(n, y, x, c), c));
        }
      }
    }
    return out;
  }
};

}  // namespace edgetwin::kernels::test

// Which windows kernels accept.
#pragma once

#include <cstdint>
#include <initializer_list>

#include "tensor/window.h"

namespace edgetwin::kernels {

inline bool positive(std::initializer_list<int> values) {
  for (const int v : values) {
    if (v <= 0) return false;
  }
  return true;
}

// Whether a window is one that kernels may be given. Its limits are far above every layer there is;
// they keep all offsets within 31 bits.
inline bool moderate(const Window2D& w, bool depthwise) {
  if (!positive({w.batch, w.in_h, w.in_w, w.in_c, w.out_h, w.out_w, w.out_c, w.kernel_h, w.kernel_w,
                 w.stride_h, w.stride_w, w.dilation_h, w.dilation_w})) {
    return false;
  }
  if (depthwise && w.out_c % w.in_c != 0) return false;
  constexpr int64_t limit = int64_t{1} << 30;
  const auto product = [](std::initializer_list<int64_t> values) {
    int64_t p = 1;
    for (const int64_t v : values) p = p >= limit ? p : p * v;
    return p;
  };
  return product({w.batch, w.in_h, w.in_w, w.in_c}) < limit &&
         product({w.batch, w.out_h, w.out_w, w.out_c}) < limit &&
         product({w.kernel_h, w.kernel_w, depthwise ? 64 : w.in_c, w.out_c}) < limit / 4 &&
         product({int64_t{w.out_w} + w.kernel_w, int64_t{w.stride_w} + w.dilation_w, w.in_c}) <
             limit &&
         product({int64_t{w.out_h} + w.kernel_h, int64_t{w.stride_h} + w.dilation_h}) < limit &&
         w.pad_top < limit && w.pad_left < limit && w.pad_top > -limit && w.pad_left > -limit;
}

}  // namespace edgetwin::kernels

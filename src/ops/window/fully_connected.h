// FULLY_CONNECTED: the plain walk. Source: kernel specification 2.3.
#pragma once

#include "numerics/rules.h"

namespace edgetwin::ops {

// Rows [begin, end) of x (rows x depth) times w (channels x depth), into y (rows x channels).
template <numerics::AccumulateRule R>
void fully_connected(const typename R::In* x, const typename R::Weight* w, int64_t depth,
                     int channels, const R& rule, typename R::Out* y, int64_t begin, int64_t end) {
  for (int64_t n = begin; n < end; ++n) {
    for (int o = 0; o < channels; ++o) {
      auto acc = rule.start(o);
      for (int64_t k = 0; k < depth; ++k)
        acc = rule.mac(acc, x[n * depth + k], w[o * depth + k], o);
      acc = numerics::end_of_tap(rule, acc, o);
      y[n * channels + o] = rule.finish(acc, o);
    }
  }
}

}  // namespace edgetwin::ops

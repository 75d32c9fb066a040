// How a reduction of floats starts and takes an element; what is made of it at the end differs.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>

#include "numerics/rules.h"

namespace edgetwin::numerics::float32 {

inline float reduce_start(ReduceKind kind) {
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  if (kind == ReduceKind::max) return -kInfinity;
  if (kind == ReduceKind::min) return kInfinity;
  return kind == ReduceKind::prod ? 1.0F : 0.0F;
}

inline float reduce_take(ReduceKind kind, float acc, float x) {
  switch (kind) {
    case ReduceKind::max:
      return std::max(acc, x);
    case ReduceKind::min:
      return std::min(acc, x);
    case ReduceKind::prod:
      return acc * x;
    case ReduceKind::l1:
      return acc + std::abs(x);
    case ReduceKind::l2:
    case ReduceKind::sum_square:
      return acc + x * x;
    case ReduceKind::log_sum_exp:
      return acc + std::exp(x);
    default:
      return acc + x;
  }
}

}  // namespace edgetwin::numerics::float32

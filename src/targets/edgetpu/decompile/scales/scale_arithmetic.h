// The chip's arithmetic of scales, shared by the files that ask whether a law holds and what
// follows from it.
#pragma once

#include <cmath>

#include "targets/edgetpu/decompile/scales/scale_problem.h"

namespace edgetwin::edgetpu {

// Quotients of scales that are as near as this to the bounds of a sum's law are decided by the
// weights themselves.
inline constexpr double kQuotientMargin = 1e-14;

inline float sum_multiplier(const ScaleLaw& law, float in, float out) {
  return (in / std::abs(static_cast<float>(law.weight[0]))) * (1.0F / out);
}

// (x * w) * (1 / out): whether any x leads to `wanted`. The quotient is the nearest there is; where
// its product is another one, those of its neighbours are further off.
inline bool reachable(float inverse, float wanted) {
  return (wanted / inverse) * inverse == wanted;
}

}  // namespace edgetwin::edgetpu

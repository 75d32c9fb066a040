// RESIZE_NEAREST_NEIGHBOR. Source: kernel specification 3.9.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

namespace edgetwin::numerics {

struct NearestAxis {
  int64_t in = 1, out = 1;
  bool align_corners = false, half_pixel_centers = false;
};

// The input index of every output index, in single precision as specified.
inline std::vector<int64_t> nearest_sources(const NearestAxis& a) {
  const float scale = a.align_corners && a.out > 1
                          ? static_cast<float>(a.in - 1) / static_cast<float>(a.out - 1)
                          : static_cast<float>(a.in) / static_cast<float>(a.out);
  const float offset = a.half_pixel_centers ? 0.5F : 0.0F;
  std::vector<int64_t> result(static_cast<size_t>(a.out));
  for (size_t i = 0; i < result.size(); ++i) {
    const float v = (static_cast<float>(i) + offset) * scale;
    const auto index = static_cast<int64_t>(a.align_corners ? std::round(v) : std::floor(v));
    result[i] = std::clamp<int64_t>(index, 0, a.in - 1);
  }
  return result;
}

}  // namespace edgetwin::numerics

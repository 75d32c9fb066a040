// What matching and averaging of COCO share.
#pragma once

#include <cstddef>
#include <span>
#include <string_view>

namespace edgetwin::evaluation {

struct AreaRange {
  std::string_view name;
  double low = 0.0, high = 0.0;  // in pixels, both inclusive
};
// The first one holds all.
std::span<const AreaRange> area_ranges(bool keypoints);
// Of one category in one picture.
inline size_t most_objects(bool keypoints) { return keypoints ? 20 : 100; }

}  // namespace edgetwin::evaluation

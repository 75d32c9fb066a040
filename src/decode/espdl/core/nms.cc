#include "decode/espdl/core/nms.h"

#include <algorithm>

namespace edgetwin::espdl_decode {
namespace {

int64_t side(int low, int high) { return int64_t{high} - low + 1; }

int64_t area(const std::array<int, 4>& b) { return side(b[0], b[2]) * side(b[1], b[3]); }

float overlap(const std::array<int, 4>& a, const std::array<int, 4>& b) {
  const int64_t width = side(std::max(a[0], b[0]), std::min(a[2], b[2]));
  const int64_t height = side(std::max(a[1], b[1]), std::min(a[3], b[3]));
  if (width <= 0 || height <= 0) return 0.0F;
  const int64_t both = width * height;
  return static_cast<float>(both) / static_cast<float>(area(a) + area(b) - both);
}

}  // namespace

void sort_by_score(std::vector<Detection>& detections) {
  std::stable_sort(detections.begin(), detections.end(),
                   [](const Detection& a, const Detection& b) { return a.score > b.score; });
}

void suppress(std::vector<Detection>& detections, float threshold, int most) {
  std::vector<Detection> kept;
  std::vector<bool> gone(detections.size(), false);
  for (size_t i = 0; i < detections.size(); ++i) {
    if (gone[i]) continue;
    for (size_t j = i + 1; j < detections.size(); ++j) {
      if (!gone[j] && overlap(detections[i].box, detections[j].box) > threshold) gone[j] = true;
    }
    kept.push_back(std::move(detections[i]));
    if (kept.size() == static_cast<size_t>(most)) break;
  }
  detections = std::move(kept);
}

void limit_to_picture(std::vector<Detection>& detections, Size picture) {
  const auto limit = [&picture](int& v, size_t index) {
    v = std::clamp(v, 0, (index % 2 == 0 ? picture.width : picture.height) - 1);
  };
  for (Detection& d : detections) {
    for (size_t i = 0; i < d.box.size(); ++i) limit(d.box[i], i);
    for (size_t i = 0; i < d.keypoints.size(); ++i) limit(d.keypoints[i], i);
  }
}

}  // namespace edgetwin::espdl_decode

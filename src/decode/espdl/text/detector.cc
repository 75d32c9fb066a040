#include <algorithm>
#include <cmath>

#include "decode/espdl/core/outputs.h"
#include "decode/espdl/text/rectangle.h"
#include "decode/espdl/text/text.h"

namespace edgetwin::espdl_decode {
namespace {

constexpr size_t kMostAreas = 3000;
constexpr int kMinEdge = 3;    // edges in the picture are longer
constexpr int kSameLine = 10;  // rows between texts that count as one line

struct Area {
  std::vector<PointF> boundary;
};

// Pixels over the threshold, connected over edges and corners, in the order of their first pixel.
class Areas {
 public:
  Areas(const Map& map, const Threshold& threshold)
      : columns_(map.columns()), rows_(map.rows()), inside_(static_cast<size_t>(map.cells())) {
    for (int64_t i = 0; i < map.cells(); ++i) {
      inside_[static_cast<size_t>(i)] = threshold.exceeds(map, i, 0);
    }
  }

  std::vector<Area> all() {
    std::vector<bool> seen(inside_.size(), false);
    std::vector<Area> areas;
    for (size_t first = 0; first < inside_.size() && areas.size() < kMostAreas; ++first) {
      if (!inside_[first] || seen[first]) continue;
      areas.push_back(area_from(first, seen));
    }
    return areas;
  }

 private:
  bool at(int64_t x, int64_t y) const {
    return x >= 0 && y >= 0 && x < columns_ && y < rows_ &&
           inside_[static_cast<size_t>(y * columns_ + x)];
  }

  Area area_from(size_t first, std::vector<bool>& seen) const {
    Area area;
    std::vector<size_t> open = {first};
    seen[first] = true;
    while (!open.empty()) {
      const auto cell = static_cast<int64_t>(open.back());
      open.pop_back();
      const int64_t x = cell % columns_;
      const int64_t y = cell / columns_;
      if (!at(x - 1, y) || !at(x + 1, y) || !at(x, y - 1) || !at(x, y + 1)) {
        area.boundary.push_back({static_cast<float>(x), static_cast<float>(y)});
      }
      for (int64_t dy = -1; dy <= 1; ++dy) {
        for (int64_t dx = -1; dx <= 1; ++dx) {
          if (!at(x + dx, y + dy)) continue;
          const auto next = static_cast<size_t>((y + dy) * columns_ + x + dx);
          if (seen[next]) continue;
          seen[next] = true;
          open.push_back(next);
        }
      }
    }
    return area;
  }

  int64_t columns_, rows_;
  std::vector<bool> inside_;
};

bool inside(const Corners& corners, float x, float y) {
  bool odd = false;
  for (size_t i = 0, j = corners.size() - 1; i < corners.size(); j = i++) {
    const PointF a = corners[i];
    const PointF b = corners[j];
    if ((a.y > y) == (b.y > y)) continue;
    if (x < (b.x - a.x) * (y - a.y) / (b.y - a.y) + a.x) odd = !odd;
  }
  return odd;
}

// The mean over the pixels whose centres are in the quadrangle.
float mean_score(const Map& map, const Corners& corners) {
  float x0 = corners[0].x, x1 = x0, y0 = corners[0].y, y1 = y0;
  for (const PointF p : corners) {
    x0 = std::min(x0, p.x), x1 = std::max(x1, p.x);
    y0 = std::min(y0, p.y), y1 = std::max(y1, p.y);
  }
  const auto limit = [](float v, int64_t size) {
    return std::clamp<int64_t>(trunc_to_int(static_cast<double>(v)), 0, size - 1);
  };
  float sum = 0.0F;
  int64_t count = 0;
  for (int64_t y = limit(std::floor(y0), map.rows()); y <= limit(std::ceil(y1), map.rows()); ++y) {
    for (int64_t x = limit(std::floor(x0), map.columns()); x <= limit(std::ceil(x1), map.columns());
         ++x) {
      if (!inside(corners, static_cast<float>(x) + 0.5F, static_cast<float>(y) + 0.5F)) continue;
      sum += map.real(y * map.columns() + x, 0);
      ++count;
    }
  }
  return sum / (static_cast<float>(count) + 1e-6F);
}

float edge_length(PointF a, PointF b) {
  const float dx = a.x - b.x;
  const float dy = a.y - b.y;
  return std::sqrt(dx * dx + dy * dy);
}

// From the map to the picture.
struct ToPicture {
  float x, y, inverse;
  Size picture;

  std::optional<Corners> of(const Corners& corners) const {
    Corners placed;
    for (size_t i = 0; i < corners.size(); ++i) {
      placed[i] = {std::round(corners[i].x * x * inverse), std::round(corners[i].y * y * inverse)};
    }
    placed = espdl_image::ordered_corners(placed);
    for (PointF& p : placed) {
      p.x = std::clamp(p.x, 0.0F, static_cast<float>(picture.width - 1));
      p.y = std::clamp(p.y, 0.0F, static_cast<float>(picture.height - 1));
    }
    const auto width = static_cast<int>(edge_length(placed[0], placed[1]));
    const auto height = static_cast<int>(edge_length(placed[0], placed[3]));
    if (width <= kMinEdge || height <= kMinEdge) return std::nullopt;
    return placed;
  }
};

// By the first corner's row and column; then texts of one line from left to right.
void sort_texts(std::vector<TextBox>& boxes) {
  std::stable_sort(boxes.begin(), boxes.end(), [](const TextBox& a, const TextBox& b) {
    return a.points[1] < b.points[1] || (a.points[1] == b.points[1] && a.points[0] < b.points[0]);
  });
  for (size_t i = 0; i + 1 < boxes.size(); ++i) {
    for (size_t j = i + 1; j-- > 0;) {
      const auto& upper = boxes[j].points;
      const auto& lower = boxes[j + 1].points;
      if (std::abs(lower[1] - upper[1]) >= kSameLine || lower[0] >= upper[0]) break;
      std::swap(boxes[j], boxes[j + 1]);
    }
  }
}

}  // namespace

Result<Decoded> decode_ocr_detector(std::span<const Tensor> outputs, const Params& params) {
  if (outputs.size() != 1) {
    return Error(ErrorCode::decode_maps,
                 "there are " + std::to_string(outputs.size()) + " outputs, a map of texts is one");
  }
  EDGETWIN_TRY(params.placement());
  EDGETWIN_TRY_ASSIGN(const Map map, Map::of(outputs[0]));
  EDGETWIN_TRY(check_map(map, 1));
  const Threshold threshold(map, params.threshold.value_or(kTextMap.threshold), params.rounding());
  const Size picture = *params.source;
  const Size input = *params.input;
  const auto ratio = [](int64_t a, int64_t b) {
    return static_cast<float>(a) / static_cast<float>(b);
  };
  const float s = std::min(ratio(input.width, picture.width), ratio(input.height, picture.height));
  const ToPicture to_picture = {ratio(input.width, map.columns()), ratio(input.height, map.rows()),
                                1.0F / s, picture};
  const float min_size = params.min_size.value_or(kTextMap.min_size);
  Decoded decoded;
  decoded.boxes.emplace();
  for (const Area& area : Areas(map, threshold).all()) {
    const Rectangle tight = smallest_rectangle(area.boundary);
    if (tight.short_side < min_size) continue;
    const float score = mean_score(map, tight.corners);
    if (score < params.box_threshold.value_or(kTextMap.box_threshold)) continue;
    const std::vector<PointF> outline =
        grown_outline(tight.corners, params.unclip_ratio.value_or(kTextMap.unclip_ratio));
    if (outline.empty()) continue;
    const Rectangle grown = smallest_rectangle(outline);
    if (grown.short_side < min_size + 2.0F) continue;
    const auto placed = to_picture.of(grown.corners);
    if (!placed) continue;
    TextBox box;
    box.score = score;
    for (size_t i = 0; i < placed->size(); ++i) {
      box.points[i * 2] = static_cast<int>((*placed)[i].x);
      box.points[i * 2 + 1] = static_cast<int>((*placed)[i].y);
    }
    decoded.boxes->push_back(box);
  }
  sort_texts(*decoded.boxes);
  return decoded;
}

}  // namespace edgetwin::espdl_decode

#include "decode/espdl/text/rectangle.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace edgetwin::espdl_decode {
namespace {

constexpr float kPi = 3.14159265358979323846F;
constexpr float kArcStep = 15.0F * kPi / 180.0F;

float cross(PointF o, PointF a, PointF b) {
  return (a.x - o.x) * (b.y - o.y) - (a.y - o.y) * (b.x - o.x);
}

float distance(PointF a, PointF b) {
  const float dx = b.x - a.x;
  const float dy = b.y - a.y;
  return std::sqrt(dx * dx + dy * dy);
}

// Andrew's: sorted by x, then y; points on an edge are dropped.
std::vector<PointF> convex_hull(std::vector<PointF> points) {
  const auto before = [](PointF a, PointF b) { return a.x < b.x || (a.x == b.x && a.y < b.y); };
  const auto same = [](PointF a, PointF b) { return a.x == b.x && a.y == b.y; };
  std::sort(points.begin(), points.end(), before);
  points.erase(std::unique(points.begin(), points.end(), same), points.end());
  if (points.size() < 3) return points;
  std::vector<PointF> hull;
  const auto add = [&hull](PointF p, size_t least) {
    while (hull.size() >= least && cross(hull[hull.size() - 2], hull.back(), p) <= 0.0F) {
      hull.pop_back();
    }
    hull.push_back(p);
  };
  for (const PointF p : points) add(p, 2);
  const size_t lower = hull.size() + 1;
  for (size_t i = points.size() - 1; i-- > 0;) add(points[i], lower);
  hull.pop_back();
  return hull;
}

}  // namespace

Rectangle smallest_rectangle(std::vector<PointF> points) {
  const std::vector<PointF> hull = convex_hull(std::move(points));
  Rectangle best;
  best.corners.fill(hull.front());
  float least = std::numeric_limits<float>::max();
  for (size_t i = 0; hull.size() > 1 && i < hull.size(); ++i) {
    const PointF next = hull[(i + 1) % hull.size()];
    const float angle = std::atan2(next.y - hull[i].y, next.x - hull[i].x);
    const float c = std::cos(angle);
    const float s = std::sin(angle);
    float x0 = std::numeric_limits<float>::max(), y0 = x0;
    float x1 = std::numeric_limits<float>::lowest(), y1 = x1;
    for (const PointF p : hull) {
      const float x = p.x * c + p.y * s;
      const float y = -p.x * s + p.y * c;
      x0 = std::min(x0, x), x1 = std::max(x1, x);
      y0 = std::min(y0, y), y1 = std::max(y1, y);
    }
    const float area = (x1 - x0) * (y1 - y0);
    if (!(area < least)) continue;
    least = area;
    const auto back = [c, s](float x, float y) { return PointF{x * c - y * s, x * s + y * c}; };
    best.corners = {back(x0, y0), back(x1, y0), back(x1, y1), back(x0, y1)};
    best.short_side = std::min(x1 - x0, y1 - y0);
  }
  best.corners = espdl_image::ordered_corners(best.corners);
  return best;
}

float signed_area(const Corners& corners) {
  float sum = 0.0F;
  for (size_t i = 0; i < corners.size(); ++i) {
    const PointF a = corners[i];
    const PointF b = corners[(i + 1) % corners.size()];
    sum += a.x * b.y - b.x * a.y;
  }
  return sum / 2.0F;
}

std::vector<PointF> grown_outline(const Corners& given, float ratio) {
  Corners corners = given;
  const float area = signed_area(corners);
  if (area < 0.0F) std::reverse(corners.begin(), corners.end());
  float perimeter = 0.0F;
  for (size_t i = 0; i < 4; ++i) perimeter += distance(corners[i], corners[(i + 1) % 4]);
  std::vector<PointF> outline;
  if (!(perimeter > 0.0F) || area == 0.0F) return outline;
  const float grown = std::abs(area) * ratio / perimeter;
  const auto normal_angle = [&corners](size_t edge) {
    const PointF a = corners[edge];
    const PointF b = corners[(edge + 1) % 4];
    const float length = distance(a, b);
    return std::atan2(-(b.x - a.x) / length, (b.y - a.y) / length);
  };
  for (size_t i = 0; i < 4; ++i) {
    const float before = normal_angle((i + 3) % 4);
    float turn = normal_angle(i) - before;
    if (turn < 0.0F) turn += 2.0F * kPi;
    const int parts = std::max(1, static_cast<int>(std::ceil(turn / kArcStep)));
    for (int k = 0; k <= parts; ++k) {
      const float angle = before + turn * static_cast<float>(k) / static_cast<float>(parts);
      outline.push_back(
          {corners[i].x + grown * std::cos(angle), corners[i].y + grown * std::sin(angle)});
    }
  }
  return outline;
}

}  // namespace edgetwin::espdl_decode

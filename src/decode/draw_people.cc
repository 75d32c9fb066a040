#include <algorithm>
#include <cmath>

#include "decode/draw.h"
#include "decode/maps.h"
#include "decode/pose.h"

namespace edgetwin::decode {
namespace {

using Rgb = std::array<uint8_t, 3>;

struct Canvas {
  uint8_t* data;
  int64_t width, height;

  // All pixels whose centres are within `radius` of the line from a to b.
  void line(const Keypoint& a, const Keypoint& b, double radius, const Rgb& color) const {
    const auto range = [&](double p, double q, int64_t size) {
      const auto limit = static_cast<double>(size);
      return std::pair{static_cast<int64_t>(std::clamp(std::min(p, q) - radius, 0.0, limit)),
                       static_cast<int64_t>(std::clamp(std::max(p, q) + radius + 1.0, 0.0, limit))};
    };
    const auto [left, right] = range(a.x, b.x, width);
    const auto [top, bottom] = range(a.y, b.y, height);
    const double dx = b.x - a.x, dy = b.y - a.y;
    const double length = dx * dx + dy * dy;
    for (int64_t y = top; y < bottom; ++y) {
      for (int64_t x = left; x < right; ++x) {
        const double px = static_cast<double>(x) + 0.5 - a.x;
        const double py = static_cast<double>(y) + 0.5 - a.y;
        const double t = length > 0.0 ? std::clamp((px * dx + py * dy) / length, 0.0, 1.0) : 0.0;
        const double ex = px - t * dx, ey = py - t * dy;
        if (ex * ex + ey * ey > radius * radius) continue;
        std::copy(color.begin(), color.end(), data + (y * width + x) * 3);
      }
    }
  }
};

bool can_draw(const Keypoint& p, double threshold) {
  return p.score >= threshold && std::isfinite(p.x) && std::isfinite(p.y);
}

}  // namespace

std::vector<Person> scaled(std::vector<Person> people, double x_factor, double y_factor) {
  for (Person& person : people) {
    for (Keypoint& p : person.points) p.x *= x_factor, p.y *= y_factor;
  }
  return people;
}

Result<Tensor> draw_people(const Tensor& picture, const std::vector<Person>& people,
                           double threshold) {
  EDGETWIN_TRY_ASSIGN(const MapSize size, map_size(picture));
  if (picture.dtype != DType::uint8 || size.channels != 3) {
    return maps_error("people can be drawn on pictures in colour, not on " +
                      to_string(picture.shape));
  }
  Tensor result = picture;
  const Canvas canvas{result.as<uint8_t>().data(), size.width, size.height};
  const double thick =
      std::max(1.0, static_cast<double>(std::min(size.width, size.height)) / 250.0);
  for (size_t i = people.size(); i-- > 0;) {
    const auto& points = people[i].points;
    const Rgb color = class_color(static_cast<int>(i));
    for (const auto& edge : ops::kEdges) {
      const Keypoint& a = points[static_cast<size_t>(edge[0])];
      const Keypoint& b = points[static_cast<size_t>(edge[1])];
      if (can_draw(a, threshold) && can_draw(b, threshold)) canvas.line(a, b, thick, color);
    }
    for (const Keypoint& p : points) {
      if (!can_draw(p, threshold)) continue;
      canvas.line(p, p, 2.6 * thick, {255, 255, 255});
      canvas.line(p, p, 1.8 * thick, color);
    }
  }
  return result;
}

}  // namespace edgetwin::decode

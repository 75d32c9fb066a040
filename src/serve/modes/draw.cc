#include "serve/modes/draw.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <sstream>

#include "plot/font.h"
#include "report/format.h"

namespace edgetwin::serve {
namespace {

constexpr double kGroundOpacity = 0.8;  // below words: enough on white, too
constexpr double kFarAway = 20000.0;    // beyond every picture

void ink_dot(Tensor& picture, int64_t x, int64_t y, Color c, double opacity) {
  if (x < 0 || y < 0 || x >= picture.shape[1] || y >= picture.shape[0]) return;
  uint8_t* p = &picture.as<uint8_t>()[static_cast<size_t>((y * picture.shape[1] + x) * 3)];
  const auto mix = [opacity](uint8_t from, uint8_t to) {
    return static_cast<uint8_t>(std::lround(from + (to - from) * opacity));
  };
  p[0] = mix(p[0], c.r), p[1] = mix(p[1], c.g), p[2] = mix(p[2], c.b);
}

int64_t whole(double value) {
  return static_cast<int64_t>(std::floor(std::clamp(value, -kFarAway, kFarAway)));
}

}  // namespace

Color heat_color(double share) {
  constexpr std::array<std::array<double, 3>, 3> kEnds = {
      {{0.0, 90.0, 178.0}, {240.0, 240.0, 225.0}, {213.0, 74.0, 0.0}}};
  const double s = std::clamp(std::isnan(share) ? 0.0 : share, 0.0, 1.0) * 2.0;
  const auto& from = kEnds[s < 1.0 ? 0 : 1];
  const auto& to = kEnds[s < 1.0 ? 1 : 2];
  const auto part = [&](size_t i) {
    return static_cast<uint8_t>(std::lround(from[i] + (to[i] - from[i]) * (s < 1.0 ? s : s - 1.0)));
  };
  return {part(0), part(1), part(2)};
}

void ink_heat_bar(Tensor& picture, const plot::Rect& area, double low, double high) {
  constexpr int kSteps = 32;
  const double step = (area.bottom - area.top) / kSteps;
  for (int i = 0; i < kSteps; ++i) {
    const double bottom = area.bottom - step * i;
    ink_area(picture, {area.left, bottom - step, area.right, bottom},
             heat_color(i / (kSteps - 1.0)), 1.0);
  }
  const auto label = [&](double y, double value) {
    ink_text(picture, {area.right + 8, y}, report::fixed_text(value, 3), kWhiteInk);
  };
  label(area.top + 8, high);
  label((area.top + area.bottom) / 2, (low + high) / 2);
  label(area.bottom - 8, low);
}

void ink_area(Tensor& picture, const plot::Rect& area, Color color, double opacity) {
  const int64_t left = std::max<int64_t>(0, whole(area.left));
  const int64_t right = std::min(picture.shape[1], whole(area.right));
  const int64_t bottom = std::min(picture.shape[0], whole(area.bottom));
  for (int64_t y = std::max<int64_t>(0, whole(area.top)); y < bottom; ++y) {
    for (int64_t x = left; x < right; ++x) ink_dot(picture, x, y, color, opacity);
  }
}

void ink_line(Tensor& picture, Point a, Point b, int width, Color color) {
  if (!std::isfinite(a.x + a.y + b.x + b.y)) return;
  const double length = std::max(std::fabs(b.x - a.x), std::fabs(b.y - a.y));
  const int steps = static_cast<int>(std::min(length, kFarAway)) + 1;
  for (int i = 0; i <= steps; ++i) {
    const double share = static_cast<double>(i) / steps;
    const int64_t x = whole(a.x + (b.x - a.x) * share) - (width - 1) / 2;
    const int64_t y = whole(a.y + (b.y - a.y) * share) - (width - 1) / 2;
    for (int dy = 0; dy < width; ++dy) {
      for (int dx = 0; dx < width; ++dx) ink_dot(picture, x + dx, y + dy, color, 1.0);
    }
  }
}

void ink_box(Tensor& picture, const plot::Rect& b, int width, Color color) {
  ink_line(picture, {b.left, b.top}, {b.right, b.top}, width, color);
  ink_line(picture, {b.left, b.bottom}, {b.right, b.bottom}, width, color);
  ink_line(picture, {b.left, b.top}, {b.left, b.bottom}, width, color);
  ink_line(picture, {b.right, b.top}, {b.right, b.bottom}, width, color);
}

void ink_cross(Tensor& picture, Point at, double size, Color color) {
  // With a dark edge, so that it is seen on its own colour too.
  for (const auto& [width, ink] : {std::pair(7, kDarkInk), std::pair(3, color)}) {
    ink_line(picture, {at.x - size, at.y}, {at.x + size, at.y}, width, ink);
    ink_line(picture, {at.x, at.y - size}, {at.x, at.y + size}, width, ink);
  }
}

void ink_circle(Tensor& picture, Point centre, double radius, Color color) {
  constexpr int kSides = 48;
  Point before{centre.x + radius, centre.y};
  for (int i = 1; i <= kSides; ++i) {
    const double angle = 2.0 * std::numbers::pi * i / kSides;
    const Point next{centre.x + radius * std::cos(angle), centre.y + radius * std::sin(angle)};
    ink_line(picture, before, next, 2, color);
    before = next;
  }
}

void ink_text(Tensor& picture, Point at, const std::string& text, Color color, double size) {
  plot::TextStyle style;
  style.size = size;
  style.color = color;
  const int width = static_cast<int>(std::min(plot::text_width(text, style) + size * 0.6, 4000.0));
  const int height = static_cast<int>(std::ceil(size * 1.4));
  plot::Canvas canvas(std::max(width, 1), height, kDarkInk);
  plot::draw_text(canvas, {size * 0.3, height / 2.0}, text, style);
  const int64_t left = whole(at.x), top = whole(at.y - height / 2.0);
  for (int y = 0; y < canvas.height(); ++y) {
    for (int x = 0; x < canvas.width(); ++x) {
      const Color c = canvas.at(x, y);
      ink_dot(picture, left + x, top + y, c, c == kDarkInk ? kGroundOpacity : 1.0);
    }
  }
}

void ink_picture(Tensor& picture, const Tensor& small, const plot::Rect& area) {
  const int64_t w = whole(area.width()), h = whole(area.height());
  const auto pixels = small.as<uint8_t>();
  for (int64_t y = 0; y < h; ++y) {
    for (int64_t x = 0; x < w; ++x) {
      const int64_t from = (y * small.shape[0] / h) * small.shape[1] + x * small.shape[1] / w;
      const uint8_t* p = &pixels[static_cast<size_t>(from * 3)];
      ink_dot(picture, whole(area.left) + x, whole(area.top) + y, {p[0], p[1], p[2]}, 1.0);
    }
  }
}

void ink_message(Tensor& picture, const std::string& text) {
  constexpr double kSize = 14.0, kLine = 20.0;
  plot::TextStyle style;
  style.size = kSize;
  const double room = static_cast<double>(picture.shape[1]) - 20.0;
  std::vector<std::string> lines(1);
  std::istringstream words(text.substr(0, 600));
  for (std::string word; words >> word;) {
    const std::string longer = lines.back().empty() ? word : lines.back() + " " + word;
    if (plot::text_width(longer, style) > room && !lines.back().empty()) {
      lines.push_back(word);
    } else {
      lines.back() = longer;
    }
  }
  double y = static_cast<double>(picture.shape[0]) - kLine * static_cast<double>(lines.size());
  for (const std::string& line : lines) {
    ink_text(picture, {8, y}, line, kYellowInk, kSize);
    y += kLine;
  }
}

Point pixel_at(const Tensor& picture, double x, double y) {
  return {(x + 1.0) / 2.0 * static_cast<double>(picture.shape[1] - 1),
          (y + 1.0) / 2.0 * static_cast<double>(picture.shape[0] - 1)};
}

}  // namespace edgetwin::serve

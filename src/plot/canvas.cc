#include "plot/canvas.h"

#include <algorithm>
#include <cmath>

#include "image/image.h"
#include "tensor/tensor.h"

namespace edgetwin::plot {
namespace {

bool finite(Point p) { return std::isfinite(p.x) && std::isfinite(p.y); }

// The distance of p from the segment a-b.
double distance(Point p, Point a, Point b) {
  const double dx = b.x - a.x;
  const double dy = b.y - a.y;
  const double length2 = dx * dx + dy * dy;
  double t = length2 > 0.0 ? ((p.x - a.x) * dx + (p.y - a.y) * dy) / length2 : 0.0;
  t = std::clamp(t, 0.0, 1.0);
  const double ex = p.x - (a.x + t * dx);
  const double ey = p.y - (a.y + t * dy);
  return std::sqrt(ex * ex + ey * ey);
}

// The part of the unit cell [cell, cell + 1) between low and high.
double overlap(double low, double high, int cell) {
  return std::clamp(std::min(high, cell + 1.0) - std::max(low, static_cast<double>(cell)), 0.0,
                    1.0);
}

int pixel(double v, int limit) {
  return static_cast<int>(std::clamp(std::floor(v), 0.0, static_cast<double>(limit)));
}

}  // namespace

Canvas::Canvas(int width, int height, Color background)
    : width_(std::clamp(width, 1, kMaxCanvasSide)), height_(std::clamp(height, 1, kMaxCanvasSide)) {
  const size_t area = static_cast<size_t>(width_) * static_cast<size_t>(height_);
  pixels_.resize(area * 3);
  for (size_t i = 0; i < area; ++i) {
    pixels_[3 * i] = background.r;
    pixels_[3 * i + 1] = background.g;
    pixels_[3 * i + 2] = background.b;
  }
  mask_.assign(area, 0);
  reset_clip();
}

Color Canvas::at(int x, int y) const {
  const size_t i =
      3 * (static_cast<size_t>(y) * static_cast<size_t>(width_) + static_cast<size_t>(x));
  return {pixels_[i], pixels_[i + 1], pixels_[i + 2]};
}

void Canvas::reset_clip() {
  clip_ = {0.0, 0.0, static_cast<double>(width_), static_cast<double>(height_)};
}

void Canvas::set_clip(const Rect& clip) {
  reset_clip();
  clip_ = {std::max(clip_.left, clip.left), std::max(clip_.top, clip.top),
           std::min(clip_.right, clip.right), std::min(clip_.bottom, clip.bottom)};
}

void Canvas::blend(int x, int y, Color color, double alpha) {
  const size_t i =
      3 * (static_cast<size_t>(y) * static_cast<size_t>(width_) + static_cast<size_t>(x));
  const auto mix = [alpha](uint8_t under, uint8_t over) {
    return static_cast<uint8_t>(std::floor(under + (over - under) * alpha + 0.5));
  };
  pixels_[i] = mix(pixels_[i], color.r);
  pixels_[i + 1] = mix(pixels_[i + 1], color.g);
  pixels_[i + 2] = mix(pixels_[i + 2], color.b);
}

void Canvas::fill(const Rect& rect, Color color, double opacity) {
  const double left = std::max(rect.left, clip_.left);
  const double right = std::min(rect.right, clip_.right);
  const double top = std::max(rect.top, clip_.top);
  const double bottom = std::min(rect.bottom, clip_.bottom);
  if (!(left < right) || !(top < bottom)) return;
  for (int y = pixel(top, height_ - 1); y <= pixel(bottom, height_ - 1); ++y) {
    const double rows = overlap(top, bottom, y);
    for (int x = pixel(left, width_ - 1); x <= pixel(right, width_ - 1); ++x) {
      const double alpha = rows * overlap(left, right, x) * opacity;
      if (alpha > 0.0) blend(x, y, color, alpha);
    }
  }
}

// Adds the segment with round ends to the mask; the largest coverage counts.
void Canvas::cover(Point a, Point b, double radius) {
  if (!finite(a) || !finite(b)) return;
  const double reach = radius + 1.0;
  if (std::max(a.x, b.x) + reach < clip_.left || std::min(a.x, b.x) - reach > clip_.right) return;
  if (std::max(a.y, b.y) + reach < clip_.top || std::min(a.y, b.y) - reach > clip_.bottom) return;
  const int left = pixel(std::max(std::min(a.x, b.x) - reach, clip_.left), width_ - 1);
  const int right = pixel(std::min(std::max(a.x, b.x) + reach, clip_.right), width_ - 1);
  const int top = pixel(std::max(std::min(a.y, b.y) - reach, clip_.top), height_ - 1);
  const int bottom = pixel(std::min(std::max(a.y, b.y) + reach, clip_.bottom), height_ - 1);
  for (int y = top; y <= bottom; ++y) {
    for (int x = left; x <= right; ++x) {
      const double d = distance({x + 0.5, y + 0.5}, a, b);
      const double coverage = std::clamp(radius + 0.5 - d, 0.0, 1.0);
      uint8_t& m =
          mask_[static_cast<size_t>(y) * static_cast<size_t>(width_) + static_cast<size_t>(x)];
      m = std::max(m, static_cast<uint8_t>(std::lround(coverage * 255.0)));
    }
  }
  mask_left_ = std::min(mask_left_, left);
  mask_right_ = std::max(mask_right_, right);
  mask_top_ = std::min(mask_top_, top);
  mask_bottom_ = std::max(mask_bottom_, bottom);
}

// Paints what the mask holds, and empties it.
void Canvas::paint_mask(Color color, double opacity) {
  for (int y = mask_top_; y <= mask_bottom_; ++y) {
    const double rows = overlap(clip_.top, clip_.bottom, y);
    for (int x = mask_left_; x <= mask_right_; ++x) {
      uint8_t& m =
          mask_[static_cast<size_t>(y) * static_cast<size_t>(width_) + static_cast<size_t>(x)];
      if (m == 0) continue;
      const double inside = rows * overlap(clip_.left, clip_.right, x);
      blend(x, y, color, m / 255.0 * inside * opacity);
      m = 0;
    }
  }
}

void Canvas::polyline(std::span<const Point> points, double width, Color color, double opacity) {
  if (points.empty() || !(width > 0.0)) return;
  mask_left_ = width_;
  mask_top_ = height_;
  mask_right_ = mask_bottom_ = -1;
  // Thinner than a pixel: a line of one pixel, paler.
  const double radius = std::max(width, 1.0) / 2.0;
  if (points.size() == 1) cover(points[0], points[0], radius);
  for (size_t i = 1; i < points.size(); ++i) cover(points[i - 1], points[i], radius);
  paint_mask(color, opacity * std::min(width, 1.0));
}

void Canvas::line(Point a, Point b, double width, Color color, double opacity) {
  const Point both[] = {a, b};
  polyline(both, width, color, opacity);
}

void Canvas::disc(Point centre, double radius, Color color, double opacity) {
  line(centre, centre, 2.0 * radius, color, opacity);
}

Result<Bytes> Canvas::png() const {
  EDGETWIN_TRY_ASSIGN(Tensor picture, Tensor::zeros(DType::uint8, Shape{height_, width_, 3}));
  std::copy(pixels_.begin(), pixels_.end(), picture.as<uint8_t>().begin());
  return encode_png(picture);
}

}  // namespace edgetwin::plot

// An RGB raster with anti-aliased lines, discs, rectangles and text. The same calls give the same
// bytes: coverage is plain double arithmetic with no function of the machine but the square root.
//
// Coordinates are pixels from the top left corner; the centre of the first pixel is (0.5, 0.5).
// Whatever lies outside the picture or the clip is dropped; points that are not finite too.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "base/bytes.h"
#include "base/result.h"

namespace edgetwin::plot {

struct Color {
  uint8_t r = 0, g = 0, b = 0;
  bool operator==(const Color&) const = default;
};

struct Point {
  double x = 0.0, y = 0.0;
};

struct Rect {
  double left = 0.0, top = 0.0, right = 0.0, bottom = 0.0;
  double width() const { return right - left; }
  double height() const { return bottom - top; }
};

inline constexpr int kMaxCanvasSide = 8192;

class Canvas {
 public:
  // Sides are limited to 1 .. kMaxCanvasSide.
  Canvas(int width, int height, Color background);

  int width() const { return width_; }
  int height() const { return height_; }
  Color at(int x, int y) const;

  // What is drawn afterwards stays inside.
  void set_clip(const Rect& clip);
  void reset_clip();

  // `opacity` 0 to 1 multiplies the coverage.
  void fill(const Rect& rect, Color color, double opacity = 1.0);
  void line(Point a, Point b, double width, Color color, double opacity = 1.0);
  // Joined lines; where they overlap each pixel is painted once.
  void polyline(std::span<const Point> points, double width, Color color, double opacity = 1.0);
  void disc(Point centre, double radius, Color color, double opacity = 1.0);

  // height x width x 3 as PNG. Error: those of encode_png.
  Result<Bytes> png() const;

 private:
  void cover(Point a, Point b, double radius);
  void paint_mask(Color color, double opacity);
  void blend(int x, int y, Color color, double alpha);

  int width_, height_;
  Rect clip_;
  std::vector<uint8_t> pixels_;  // RGB, row by row
  // Coverage of the shape that is being drawn, and the box that it touches.
  std::vector<uint8_t> mask_;
  int mask_left_ = 0, mask_top_ = 0, mask_right_ = 0, mask_bottom_ = 0;
};

}  // namespace edgetwin::plot

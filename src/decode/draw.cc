#include "decode/draw.h"

#include <algorithm>
#include <cmath>

#include "plot/canvas.h"
#include "plot/font.h"

namespace edgetwin::decode {
namespace {

using Rgb = std::array<uint8_t, 3>;

struct Picture {
  uint8_t* data;
  int64_t width, height;

  void set(int64_t x, int64_t y, const Rgb& color) const {
    if (x < 0 || y < 0 || x >= width || y >= height) return;
    std::copy(color.begin(), color.end(), data + (y * width + x) * 3);
  }
};

// In whole pixels, right and bottom exclusive.
struct Frame {
  int64_t left, top, right, bottom;
};

Frame frame_of(const Detection& box, const Picture& picture) {
  const auto pixel = [](double at, int64_t limit) {
    const double inside = std::clamp(std::isnan(at) ? 0.0 : at, 0.0, static_cast<double>(limit));
    return static_cast<int64_t>(std::floor(inside + 0.5));
  };
  return {pixel(box.x0, picture.width), pixel(box.y0, picture.height), pixel(box.x1, picture.width),
          pixel(box.y1, picture.height)};
}

// Lines inside the frame.
void draw_frame(const Picture& picture, const Frame& f, int64_t thickness, const Rgb& color) {
  for (int64_t y = f.top; y < f.bottom; ++y) {
    for (int64_t x = f.left; x < f.right; ++x) {
      const int64_t depth = std::min({x - f.left, y - f.top, f.right - 1 - x, f.bottom - 1 - y});
      if (depth >= thickness) {
        x = std::max(x, f.right - 1 - thickness);  // on to the right line
        continue;
      }
      picture.set(x, y, color);
    }
  }
}

// "name 0.87"; digits are made here because printf's point depends on the locale.
std::string label_of(const Detection& box) {
  const int percent = static_cast<int>(std::lround(std::clamp(box.score, 0.0, 1.0) * 100.0));
  const std::string digits = std::to_string(percent + 1000);  // "1087"
  return box.name.substr(0, 64) + " " + (percent == 100 ? "1." : "0.") + digits.substr(2);
}

void draw_label(const Picture& picture, const Detection& box, const Frame& frame, double size,
                const Rgb& color) {
  const std::string text = label_of(box);
  const bool bright = color[0] * 299 + color[1] * 587 + color[2] * 114 > 140'000;
  plot::TextStyle style;
  style.size = size;
  style.color = bright ? plot::Color{16, 16, 16} : plot::Color{255, 255, 255};
  const double margin = size * 0.3;
  const int width = static_cast<int>(std::ceil(plot::text_width(text, style) + 2 * margin));
  const int height = static_cast<int>(std::ceil(size * 1.4));
  plot::Canvas canvas(std::min(width, plot::kMaxCanvasSide), height,
                      plot::Color{color[0], color[1], color[2]});
  plot::draw_text(canvas, {margin, height / 2.0}, text, style);
  const int64_t top = frame.top >= height ? frame.top - height : frame.top;
  const int64_t left = std::max<int64_t>(0, std::min(frame.left, picture.width - canvas.width()));
  for (int y = 0; y < canvas.height(); ++y) {
    for (int x = 0; x < canvas.width(); ++x) {
      const plot::Color c = canvas.at(x, y);
      picture.set(left + x, top + y, {c.r, c.g, c.b});
    }
  }
}

}  // namespace

std::array<uint8_t, 3> class_color(int class_index) {
  // Hues 5/13 of the circle apart, so that they repeat after 13; then darker ones follow.
  const int index = std::max(class_index, 0) % 39;
  const int hue = index * 5 % 13 * 6 * 256 / 13;  // 256 for each of six sectors
  const int level = std::array{255, 190, 140}[static_cast<size_t>(index / 13)];
  const int rise = (hue % 256) * level / 256;
  const int fall = level - rise;
  const auto u8 = [](int value) { return static_cast<uint8_t>(value); };
  switch (hue / 256) {
    case 0:
      return {u8(level), u8(rise), 0};
    case 1:
      return {u8(fall), u8(level), 0};
    case 2:
      return {0, u8(level), u8(rise)};
    case 3:
      return {0, u8(fall), u8(level)};
    case 4:
      return {u8(rise), 0, u8(level)};
    default:
      return {u8(level), 0, u8(fall)};
  }
}

namespace {

Status check(const Tensor& picture) {
  const Shape& shape = picture.shape;
  if (picture.dtype != DType::uint8 || shape.rank() != 3 || shape.back(0) != 3 ||
      !within_limits(picture.dtype, shape) ||
      static_cast<int64_t>(picture.data.size()) != shape.elements()) {
    return Error(ErrorCode::decode_maps,
                 "boxes can be drawn on uint8 pictures of height x width x "
                 "3, not on " +
                     std::string(name(picture.dtype)) + " " + to_string(shape));
  }
  return Ok{};
}

double text_size_of(const Picture& picture) {
  return std::clamp(static_cast<double>(std::min(picture.width, picture.height)) / 36.0, 10.0,
                    48.0);
}

}  // namespace

Result<Tensor> draw_lines(const Tensor& picture, const std::vector<std::string>& lines) {
  EDGETWIN_TRY(check(picture));
  Tensor result = picture;
  const Picture target{result.as<uint8_t>().data(), picture.shape[1], picture.shape[0]};
  plot::TextStyle style;
  style.size = text_size_of(target);
  style.color = plot::Color{255, 255, 255};
  const int height = static_cast<int>(std::ceil(style.size * 1.5));
  int64_t top = 0;
  for (const std::string& line : lines) {
    const double text_width = std::ceil(plot::text_width(line, style) + style.size);
    const int width = static_cast<int>(std::min(text_width, double{plot::kMaxCanvasSide}));
    plot::Canvas canvas(std::max(width, 1), height, plot::Color{24, 24, 24});
    plot::draw_text(canvas, {style.size / 2.0, height / 2.0}, line, style);
    for (int y = 0; y < canvas.height(); ++y) {
      for (int x = 0; x < canvas.width(); ++x) {
        const plot::Color c = canvas.at(x, y);
        target.set(x, top + y, {c.r, c.g, c.b});
      }
    }
    top += height;
  }
  return result;
}

Result<Tensor> draw_detections(const Tensor& picture, const std::vector<Detection>& boxes) {
  EDGETWIN_TRY(check(picture));
  Tensor result = picture;
  const Picture target{result.as<uint8_t>().data(), picture.shape[1], picture.shape[0]};
  const double side = static_cast<double>(std::min(target.width, target.height));
  const int64_t thickness = std::max<int64_t>(1, static_cast<int64_t>(side / 250.0));
  const double text_size = text_size_of(target);
  for (auto box = boxes.rbegin(); box != boxes.rend(); ++box) {
    const Frame frame = frame_of(*box, target);
    const Rgb color = class_color(box->class_index);
    draw_frame(target, frame, thickness, color);
    draw_label(target, *box, frame, text_size, color);
  }
  return result;
}

}  // namespace edgetwin::decode

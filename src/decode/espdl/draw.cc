#include "decode/espdl/draw.h"

#include <algorithm>
#include <cstdio>

#include "decode/draw.h"

namespace edgetwin::espdl_decode {
namespace {

constexpr int kPointRadius = 3;

Result<Tensor> in_colour(const Tensor& picture) {
  const bool fits = picture.dtype == DType::uint8 && picture.shape.rank() == 3 &&
                    (picture.shape[2] == 1 || picture.shape[2] == 3);
  if (!fits) {
    return Error(ErrorCode::decode_maps, "the picture to draw on is " + to_string(picture.shape));
  }
  if (picture.shape[2] == 3) return picture;
  EDGETWIN_TRY_ASSIGN(Tensor colour,
                      Tensor::zeros(DType::uint8, {picture.shape[0], picture.shape[1], 3}));
  for (size_t i = 0; i < colour.data.size(); ++i) colour.data[i] = picture.data[i / 3];
  return colour;
}

class Pen {
 public:
  Pen(Tensor& picture, int category) : picture_(picture), colour_(decode::class_color(category)) {}

  void pixel(int64_t x, int64_t y, bool half) {
    if (x < 0 || y < 0 || x >= picture_.shape[1] || y >= picture_.shape[0]) return;
    uint8_t* p = picture_.as<uint8_t>().data() + (y * picture_.shape[1] + x) * 3;
    for (size_t c = 0; c < 3; ++c) {
      p[c] = half ? static_cast<uint8_t>((p[c] + colour_[c] + 1) / 2) : colour_[c];
    }
  }

  void mask(const Detection& d) {
    const int64_t width = d.mask->shape[1];
    for (int64_t i = 0; i < d.mask->shape.elements(); ++i) {
      if (d.mask->as<uint8_t>()[static_cast<size_t>(i)] == 0) continue;
      pixel(d.box[0] + i % width, d.box[1] + i / width, true);
    }
  }

  // All pixels within the radius, as the runtime draws points.
  void point(int x, int y) {
    for (int dy = -kPointRadius; dy <= kPointRadius; ++dy) {
      for (int dx = -kPointRadius; dx <= kPointRadius; ++dx) {
        if (dx * dx + dy * dy <= kPointRadius * kPointRadius) pixel(x + dx, y + dy, false);
      }
    }
  }

  void line(int x0, int y0, int x1, int y1) {
    const int steps = std::max({std::abs(x1 - x0), std::abs(y1 - y0), 1});
    for (int i = 0; i <= steps; ++i) {
      const int64_t x = x0 + int64_t{x1 - x0} * i / steps;
      const int64_t y = y0 + int64_t{y1 - y0} * i / steps;
      pixel(x, y, false);
      pixel(x + 1, y, false);
      pixel(x, y + 1, false);
    }
  }

 private:
  Tensor& picture_;
  std::array<uint8_t, 3> colour_;
};

std::string scored(const std::string& name, float score) {
  std::array<char, 16> text{};
  std::snprintf(text.data(), text.size(), " %.2f", static_cast<double>(score));
  return name + text.data();
}

std::vector<std::string> lines_of(const Decoded& decoded) {
  std::vector<std::string> lines;
  if (decoded.classes) {
    for (const ClassScore& c : *decoded.classes) {
      lines.push_back(scored(decoded.name_of(c.category), c.score));
    }
  }
  for (const ReadText& read : decoded.texts) {
    lines.push_back(scored(decoded.second_text_of(read), read.score));
  }
  if (decoded.text) lines.push_back(scored(decoded.text_of(*decoded.text), decoded.text->score));
  return lines;
}

}  // namespace

Result<Tensor> draw(const Tensor& picture, const Decoded& decoded) {
  EDGETWIN_TRY_ASSIGN(Tensor drawn, in_colour(picture));
  std::vector<decode::Detection> boxes;
  const std::vector<Detection> none;
  const std::vector<Detection>& detections = decoded.detections ? *decoded.detections : none;
  for (const Detection& d : detections) {
    if (d.mask) Pen(drawn, d.category).mask(d);
    decode::Detection box;
    box.class_index = d.category;
    box.name = d.classes.empty() ? decoded.name_of(d.category)
                                 : decoded.second_name_of(d.classes.front().category);
    box.score = static_cast<double>(d.score);
    box.x0 = d.box[0], box.y0 = d.box[1], box.x1 = d.box[2], box.y1 = d.box[3];
    boxes.push_back(std::move(box));
  }
  EDGETWIN_TRY_ASSIGN(drawn, decode::draw_detections(drawn, boxes));
  for (const Detection& d : detections) {
    for (size_t i = 0; i + 1 < d.keypoints.size(); i += 2) {
      const bool seen = d.keypoints[i] != 0 || d.keypoints[i + 1] != 0;
      if (seen) Pen(drawn, static_cast<int>(i)).point(d.keypoints[i], d.keypoints[i + 1]);
    }
  }
  if (decoded.boxes) {
    for (const TextBox& b : *decoded.boxes) {
      for (size_t i = 0; i < 8; i += 2) {
        Pen(drawn, 0).line(b.points[i], b.points[i + 1], b.points[(i + 2) % 8],
                           b.points[(i + 3) % 8]);
      }
    }
  }
  const std::vector<std::string> lines = lines_of(decoded);
  if (lines.empty()) return drawn;
  return decode::draw_lines(drawn, lines);
}

}  // namespace edgetwin::espdl_decode

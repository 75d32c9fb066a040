#include "image/resize.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <vector>

#include "image/image.h"
#include "image/picture.h"
#include "image/pixels.h"

namespace edgetwin {
namespace {

Status check(const Tensor& picture, int64_t height, int64_t width) {
  const Shape& s = picture.shape;
  if (picture.dtype != DType::uint8 || s.rank() != 3 || s[0] < 1 || s[1] < 1 || s[2] < 1 ||
      !within_limits(picture.dtype, s) ||
      static_cast<int64_t>(picture.data.size()) != s.elements()) {
    return Error(ErrorCode::image_decode, "a picture is uint8, height x width x channels, not " +
                                              std::string(name(picture.dtype)) + " " +
                                              to_string(s));
  }
  return check_picture_size(width, height, "");
}

// Between which two lines one line of the result lies.
struct Between {
  int64_t low = 0, high = 0;
  float weight = 0.0F;  // of the second
};

std::vector<Between> half_pixel_lines(int64_t in, int64_t out) {
  const float scale = static_cast<float>(in) / static_cast<float>(out);
  std::vector<Between> lines(static_cast<size_t>(out));
  for (size_t i = 0; i < lines.size(); ++i) {
    const float at = (static_cast<float>(i) + 0.5F) * scale - 0.5F;
    const auto low = static_cast<int64_t>(std::max(std::floor(at), 0.0F));
    const int64_t high = std::min(static_cast<int64_t>(std::ceil(at)), in - 1);
    lines[i] = {low, high, at - static_cast<float>(low)};
  }
  return lines;
}

// The weights of one line of the result over `weights.size()` lines from `first` on.
struct Window {
  int64_t first = 0;
  std::vector<int32_t> weights;
};

constexpr int kWeightBits = 22;

double filter_value(Filter filter, double x) {
  const auto sinc = [](double v) {
    const double a = v * std::numbers::pi;
    return v == 0.0 ? 1.0 : std::sin(a) / a;
  };
  if (filter == Filter::bilinear) return std::max(1.0 - std::fabs(x), 0.0);
  return x >= -3.0 && x < 3.0 ? sinc(x) * sinc(x / 3.0) : 0.0;
}

std::vector<Window> windows(int64_t in, int64_t out, Filter filter) {
  const double scale = static_cast<double>(in) / static_cast<double>(out);
  const double stretch = std::max(scale, 1.0);
  const double support = (filter == Filter::bilinear ? 1.0 : 3.0) * stretch;
  std::vector<Window> all(static_cast<size_t>(out));
  std::vector<double> values;
  for (size_t i = 0; i < all.size(); ++i) {
    const double centre = (static_cast<double>(i) + 0.5) * scale;
    const auto first =
        std::max<int64_t>(static_cast<int64_t>(std::floor(centre - support + 0.5)), 0);
    const auto end =
        std::min<int64_t>(static_cast<int64_t>(std::floor(centre + support + 0.5)), in);
    values.clear();
    double sum = 0.0;
    for (int64_t x = first; x < end; ++x) {
      const double at = (static_cast<double>(x) - centre + 0.5) * (1.0 / stretch);
      values.push_back(filter_value(filter, at));
      sum += values.back();
    }
    all[i].first = first;
    for (const double v : values) {
      const double weight = (sum == 0.0 ? v : v / sum) * (1 << kWeightBits);
      const double whole = weight < 0.0 ? std::ceil(weight - 0.5) : std::floor(weight + 0.5);
      all[i].weights.push_back(static_cast<int32_t>(whole));
    }
  }
  return all;
}

// One axis of a picture seen as outer x lines x inner bytes.
Bytes filtered(const Bytes& from, int64_t outer, int64_t lines, int64_t inner,
               const std::vector<Window>& to) {
  Bytes result(static_cast<size_t>(outer * inner) * to.size());
  auto* out = reinterpret_cast<uint8_t*>(result.data());
  const auto* in = reinterpret_cast<const uint8_t*>(from.data());
  for (int64_t o = 0; o < outer; ++o) {
    for (const Window& window : to) {
      const uint8_t* start = in + (o * lines + window.first) * inner;
      for (int64_t i = 0; i < inner; ++i) {
        int32_t sum = 1 << (kWeightBits - 1);
        const uint8_t* at = start + i;
        for (const int32_t weight : window.weights) {
          sum += *at * weight;
          at += inner;
        }
        *out++ = static_cast<uint8_t>(std::clamp(sum >> kWeightBits, 0, 255));
      }
    }
  }
  return result;
}

// Where cell `i` of `cells` begins on an axis of `size`.
int64_t begin_of(int64_t i, int64_t size, int64_t cells) {
  return i == cells ? size : i * size / cells;
}

uint8_t mean_of(const Tensor& p, int64_t y0, int64_t y1, int64_t x0, int64_t x1, int64_t ch) {
  const int64_t width = p.shape[1], channels = p.shape[2];
  const auto pixels = p.as<uint8_t>();
  int64_t sum = 0;
  for (int64_t y = y0; y < y1; ++y) {
    for (int64_t x = x0; x < x1; ++x) {
      sum += pixels[static_cast<size_t>((y * width + x) * channels + ch)];
    }
  }
  const int64_t count = (y1 - y0) * (x1 - x0);
  return static_cast<uint8_t>(static_cast<float>(sum) / static_cast<float>(count));
}

}  // namespace

Result<Tensor> resize_half_pixel(const Tensor& picture, int height, int width) {
  EDGETWIN_TRY(check(picture, height, width));
  const int64_t channels = picture.shape[2], in_width = picture.shape[1];
  EDGETWIN_TRY_ASSIGN(Tensor result, Tensor::zeros(DType::uint8, {height, width, channels}));
  const std::vector<Between> rows = half_pixel_lines(picture.shape[0], height);
  const std::vector<Between> columns = half_pixel_lines(in_width, width);
  const uint8_t* from = picture.as<uint8_t>().data();
  uint8_t* to = result.as<uint8_t>().data();
  for (const Between& y : rows) {
    for (const Between& x : columns) {
      const float w00 = (1.0F - y.weight) * (1.0F - x.weight);
      const float w01 = (1.0F - y.weight) * x.weight;
      const float w10 = y.weight * (1.0F - x.weight);
      const float w11 = y.weight * x.weight;
      for (int64_t c = 0; c < channels; ++c) {
        const auto at = [&](int64_t row, int64_t column) {
          return static_cast<float>(from[(row * in_width + column) * channels + c]);
        };
        float sum = at(y.low, x.low) * w00;
        sum += at(y.low, x.high) * w01;
        sum += at(y.high, x.low) * w10;
        sum += at(y.high, x.high) * w11;
        *to++ = static_cast<uint8_t>(std::clamp(sum, 0.0F, 255.0F));
      }
    }
  }
  return result;
}

Result<Tensor> resize_smooth(const Tensor& picture, int height, int width, Filter filter) {
  EDGETWIN_TRY(check(picture, height, width));
  const int64_t h = picture.shape[0], w = picture.shape[1], c = picture.shape[2];
  Tensor result;
  result.dtype = DType::uint8;
  result.shape = {height, width, c};
  result.data = picture.data;
  if (w != width) result.data = filtered(result.data, h, w, c, windows(w, width, filter));
  if (h != height) {
    result.data = filtered(result.data, 1, h, c * width, windows(h, height, filter));
  }
  return result;
}

Result<Tensor> resize_area(const Tensor& p, int height, int width) {
  const int64_t h = p.shape[0], w = p.shape[1], channels = p.shape[2];
  EDGETWIN_TRY_ASSIGN(Tensor out, Tensor::zeros(DType::uint8, {height, width, channels}));
  auto* to = out.as<uint8_t>().data();
  for (int64_t i = 0; i < height; ++i) {
    const int64_t y0 = begin_of(i, h, height);
    const int64_t y1 = std::max(begin_of(i + 1, h, height), y0 + 1);
    for (int64_t j = 0; j < width; ++j) {
      const int64_t x0 = begin_of(j, w, width);
      const int64_t x1 = std::max(begin_of(j + 1, w, width), x0 + 1);
      for (int64_t ch = 0; ch < channels; ++ch) *to++ = mean_of(p, y0, y1, x0, x1, ch);
    }
  }
  return out;
}

Result<Tensor> resized(const Tensor& picture, int height, int width, Resize how) {
  EDGETWIN_TRY(check(picture, height, width));
  const Shape& from = picture.shape;
  if (from[0] == height && from[1] == width) return picture;
  if (how == Resize::half_pixel) return resize_half_pixel(picture, height, width);
  if (how == Resize::lanczos) return resize_smooth(picture, height, width, Filter::lanczos);
  EDGETWIN_TRY_ASSIGN(Tensor out, Tensor::zeros(DType::uint8, {height, width, from[2]}));
  const auto pixel = static_cast<size_t>(from[2]);
  const std::byte* in = picture.data.data();
  std::byte* to = out.data.data();
  for (int64_t y = 0; y < height; ++y) {
    const int64_t row = nearest_line(y, from[0], height) * from[1];
    for (int64_t x = 0; x < width; ++x, to += pixel) {
      const std::byte* p = in + static_cast<size_t>(row + nearest_line(x, from[1], width)) * pixel;
      std::copy(p, p + pixel, to);
    }
  }
  return out;
}

Result<Tensor> grey_of(const Tensor& picture) {
  EDGETWIN_TRY(check(picture, 1, 1));
  if (picture.shape[2] == 1) return picture;
  if (picture.shape[2] != 3) {
    return Error(ErrorCode::image_decode, "a picture of " + std::to_string(picture.shape[2]) +
                                              " channels cannot be made grey");
  }
  EDGETWIN_TRY_ASSIGN(Tensor result,
                      Tensor::zeros(DType::uint8, {picture.shape[0], picture.shape[1], 1}));
  const uint8_t* p = picture.as<uint8_t>().data();
  for (uint8_t& grey : result.as<uint8_t>()) {
    grey = grey_pillow(p);
    p += 3;
  }
  return result;
}

}  // namespace edgetwin

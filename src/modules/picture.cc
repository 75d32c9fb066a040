#include "modules/picture.h"

#include <algorithm>
#include <cmath>

namespace edgetwin::modules {
namespace {

Error bad_picture(std::string message) {
  return Error(ErrorCode::module_input, std::move(message));
}

Result<Tensor> to_uint8(const Tensor& picture) {
  if (picture.dtype == DType::uint8) return picture;
  if (picture.dtype != DType::float32) {
    return bad_picture("a picture of " + std::string(name(picture.dtype)) +
                       "; uint8 and float32 can be taken");
  }
  EDGETWIN_TRY_ASSIGN(Tensor bytes, Tensor::zeros(DType::uint8, picture.shape));
  const auto from = picture.as<float>();
  const auto to = bytes.as<uint8_t>();
  for (size_t i = 0; i < to.size(); ++i) {
    if (std::isnan(from[i]))
      return bad_picture("element " + std::to_string(i) + " is not a number");
    to[i] = static_cast<uint8_t>(std::clamp(from[i], 0.0F, 255.0F));
  }
  return bytes;
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

Result<Tensor> resize_by_area(const Tensor& p, int height, int width) {
  if (p.shape.elements() == 0) return bad_picture("the picture is empty");
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

Result<Tensor> normalize(const Tensor& picture, bool resize, int height, int width, int channels) {
  const Shape wanted{height, width, channels};
  if (picture.data.empty()) return bad_picture("the picture is empty");
  Tensor p = picture;
  std::vector<int64_t> dims(p.shape.dims().begin(), p.shape.dims().end());
  if (dims.size() == 4 && dims[0] == 1) dims.erase(dims.begin());
  if (dims.size() == 2 && channels == 1) dims.push_back(1);
  p.shape = Shape(dims);
  const auto mismatch = [&] {
    Error e = bad_picture("the picture is " + to_string(picture.shape) + ", the model takes " +
                          to_string(wanted));
    return resize ? std::move(e) : std::move(e).with_hint("Let the picture be resized.");
  };
  if (dims.size() != 3 || dims[2] != channels) return mismatch();
  EDGETWIN_TRY_ASSIGN(p, to_uint8(p));
  if (resize && p.shape != wanted) {
    EDGETWIN_TRY_ASSIGN(p, resize_by_area(p, height, width));
  }
  if (p.shape != wanted) return mismatch();
  return p;
}

Result<Tensor> to_grey(const Tensor& p) {
  const bool picture = p.dtype == DType::uint8 && p.shape.rank() == 3;
  if (picture && p.shape[2] == 1) return p;
  if (!picture || p.shape[2] != 3) {
    return bad_picture("the picture is " + to_string(p.shape) + "; height x width x 3 is needed");
  }
  EDGETWIN_TRY_ASSIGN(Tensor grey, Tensor::zeros(DType::uint8, {p.shape[0], p.shape[1], 1}));
  const auto from = p.as<uint8_t>();
  const auto to = grey.as<uint8_t>();
  for (size_t i = 0; i < to.size(); ++i) {
    to[i] = static_cast<uint8_t>(
        (299 * from[3 * i] + 587 * from[3 * i + 1] + 114 * from[3 * i + 2] + 500) / 1000);
  }
  return grey;
}

Tensor grey_picture(int height, int width, ByteSpan pixels) {
  Tensor p;
  p.dtype = DType::uint8;
  p.shape = {height, width, 1};
  p.data = to_bytes(pixels);
  return p;
}

}  // namespace edgetwin::modules

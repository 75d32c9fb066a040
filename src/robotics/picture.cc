#include "robotics/picture.h"

#include <algorithm>
#include <cmath>

#include "image/pixels.h"
#include "image/resize.h"

namespace edgetwin::robotics {
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

}  // namespace

Result<Tensor> resize_by_area(const Tensor& picture, int height, int width) {
  if (picture.shape.elements() == 0) return bad_picture("the picture is empty");
  return resize_area(picture, height, width);
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
    to[i] = grey_per_mille(&from[3 * i]);
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

}  // namespace edgetwin::robotics

#include <cmath>
#include <cstdlib>

#include "decode/espdl/signals/signals.h"
#include "image/espdl/convert.h"

namespace edgetwin::espdl_decode {
namespace {

constexpr float kMotionThreshold = 5.0F;

// One level for each pixel.
Result<std::vector<uint8_t>> grey_levels(const Tensor& picture, espdl_image::PixelType type) {
  const espdl_image::PixelInfo& pixel = espdl_image::info(type);
  if (picture.dtype != DType::uint8 || picture.shape.rank() != 3 ||
      picture.shape[2] != pixel.source_bytes || picture.shape.elements() == 0) {
    return Error(ErrorCode::decode_maps, "a picture is " + to_string(picture.shape) + " " +
                                             std::string(name(picture.dtype)) + ", " +
                                             std::string(pixel.name) + " needs uint8 with " +
                                             std::to_string(pixel.source_bytes) +
                                             " bytes per pixel");
  }
  if (pixel.space == espdl_image::Space::yuv && picture.shape[1] % 2 != 0) {
    return Error(ErrorCode::decode_maps,
                 "a picture of " + std::string(pixel.name) + " has an odd number of columns");
  }
  EDGETWIN_TRY_ASSIGN(espdl_image::Conversion conversion,
                      espdl_image::Conversion::make(type, espdl_image::PixelType::gray));
  const auto columns = static_cast<int32_t>(picture.shape[1]);
  std::vector<uint8_t> levels(static_cast<size_t>(picture.shape[0] * columns));
  std::vector<int32_t> pixels(static_cast<size_t>(columns));
  for (int32_t row = 0; row < picture.shape[0]; ++row) {
    for (int32_t x = 0; x < columns; ++x) pixels[static_cast<size_t>(x)] = row * columns + x;
    conversion.row(picture.as<uint8_t>(), pixels,
                   std::as_writable_bytes(std::span(levels).subspan(
                       static_cast<size_t>(row) * pixels.size(), pixels.size())));
  }
  return levels;
}

}  // namespace

Result<Decoded> count_motion(const Tensor& first, const Tensor& second, const Params& params) {
  const espdl_image::PixelType type = params.pixels.value_or(espdl_image::PixelType::rgb888);
  EDGETWIN_TRY_ASSIGN(const std::vector<uint8_t> a, grey_levels(first, type));
  EDGETWIN_TRY_ASSIGN(const std::vector<uint8_t> b, grey_levels(second, type));
  if (to_string(first.shape) != to_string(second.shape)) {
    return Error(ErrorCode::decode_maps, "the pictures differ in size: " + to_string(first.shape) +
                                             " and " + to_string(second.shape));
  }
  const auto stride = static_cast<int64_t>(params.stride.value_or(1));
  const float threshold = params.threshold.value_or(kMotionThreshold);
  const int64_t rows = first.shape[0];
  const int64_t columns = first.shape[1];
  int64_t moving = 0;
  int64_t at = 0;
  for (int64_t y = 0; y < rows; y += stride) {
    for (int64_t x = 0; x < columns; x += stride, at += stride) {
      const auto i = static_cast<size_t>(at);
      if (i >= a.size()) {
        return Error(ErrorCode::decode_maps,
                     "the chip reads beyond the picture: " + std::to_string(columns) +
                         " columns are no multiple of the stride " + std::to_string(stride))
            .with_hint("Use a stride that divides the width.");
      }
      moving += static_cast<float>(std::abs(int{a[i]} - int{b[i]})) > threshold ? 1 : 0;
    }
    at += columns % stride;
  }
  Decoded decoded;
  decoded.moving_points = moving;
  return decoded;
}

}  // namespace edgetwin::espdl_decode

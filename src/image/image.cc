#include "image/image.h"

#include "image/bmp.h"
#include "image/jpeg.h"
#include "image/picture.h"
#include "image/png.h"

namespace edgetwin {
namespace {

Result<Tensor> decode(ByteSpan data, const std::string& file) {
  if (looks_like_png(data)) return decode_png(data, file);
  if (looks_like_jpeg(data)) return decode_jpeg(data, file);
  if (looks_like_bmp(data)) return decode_bmp(data, file);
  return picture_error("the file is neither PNG, JPEG nor BMP", file);
}

}  // namespace

bool looks_like_image(ByteSpan data) {
  return looks_like_png(data) || looks_like_jpeg(data) || looks_like_bmp(data);
}

Result<Tensor> decode_image(ByteSpan data, const std::string& file) {
  Result<Tensor> picture = decode(data, file);
  if (picture.ok() || picture.error().code != ErrorCode::truncated) return picture;
  // Whatever is wrong with a picture has one code; the place stays.
  Error error = std::move(picture).error();
  error.code = ErrorCode::image_decode;
  error.message = "the picture ends too early: " + error.message;
  error.hint = info(ErrorCode::truncated).remedy;
  return error;
}

Result<Bytes> encode_png(const Tensor& picture) {
  const Shape& s = picture.shape;
  const bool fits = picture.dtype == DType::uint8 && s.rank() == 3 &&
                    (s[2] == 1 || s[2] == 3 || s[2] == 4) && s[0] > 0 && s[1] > 0 &&
                    s[0] <= kMaxPictureSide && s[1] <= kMaxPictureSide &&
                    s[0] * s[1] <= kMaxPicturePixels;
  if (!fits) {
    return Error(ErrorCode::image_decode, "a tensor of " + to_string(s) + " " +
                                              std::string(name(picture.dtype)) +
                                              " cannot be written as PNG")
        .with_hint("A picture is uint8, height x width x 1, 3 or 4.");
  }
  return compress_png(picture);
}

}  // namespace edgetwin

#include "image/picture.h"

#include <algorithm>

#include "image/image.h"

namespace edgetwin {

Error picture_error(std::string what, const std::string& file) {
  return Error(ErrorCode::image_decode, std::move(what)).in_file(file);
}

Status check_picture_size(int64_t width, int64_t height, const std::string& file) {
  if (width < 1 || height < 1) return picture_error("the picture has no pixels", file);
  // The sides first: their product could overflow.
  if (std::max(width, height) <= kMaxPictureSide && width * height <= kMaxPicturePixels) {
    return Ok{};
  }
  return Error(ErrorCode::out_of_memory, "the picture has " + std::to_string(width) + " x " +
                                             std::to_string(height) + " pixels; the limits are " +
                                             std::to_string(kMaxPictureSide) + " per side and " +
                                             std::to_string(kMaxPicturePixels) + " in all")
      .in_file(file);
}

}  // namespace edgetwin

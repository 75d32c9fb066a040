// What the readers of all picture formats share.
#pragma once

#include <string>

#include "base/result.h"

namespace edgetwin {

// An image_decode error in `file`.
Error picture_error(std::string what, const std::string& file);

// Within kMaxPictureSide and kMaxPicturePixels? Errors: image_decode without pixels, out_of_memory
// beyond the limits.
Status check_picture_size(int64_t width, int64_t height, const std::string& file);

}  // namespace edgetwin

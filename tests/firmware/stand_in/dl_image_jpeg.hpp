#pragma once
#include "dl_image_define.hpp"
namespace dl {
namespace image {
img_t sw_decode_jpeg(const jpeg_img_t& jpeg, pix_type_t type);
}
}  // namespace dl

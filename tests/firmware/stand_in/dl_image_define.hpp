#pragma once
#include <cstddef>
#include <cstdint>
namespace dl {
namespace image {
enum pix_type_t { DL_IMAGE_PIX_TYPE_RGB888 = 0, DL_IMAGE_PIX_TYPE_RGB565 = 1 };
struct img_t {
  void* data;
  uint16_t width;
  uint16_t height;
  pix_type_t pix_type;
};
struct jpeg_img_t {
  void* data;
  size_t data_len;
};
}  // namespace image
}  // namespace dl

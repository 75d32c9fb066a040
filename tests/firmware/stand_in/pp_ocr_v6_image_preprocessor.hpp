#pragma once
#include "pp_ocr_v6.hpp"
namespace pp_ocr_v6 {
void bilinear_letterbox_top_left(const dl::image::img_t& from, const dl::image::img_t& to,
                                 int width, int height, uint8_t background = 127);
dl::image::img_t get_rotate_crop_image(const dl::image::img_t& image, const TextBox& box);
bool resize_norm_img(const dl::image::img_t& image, dl::TensorBase* input);
}  // namespace pp_ocr_v6

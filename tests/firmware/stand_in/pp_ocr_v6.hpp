#pragma once
#include <array>
#include <string>

#include "dl_image_define.hpp"
#include "dl_model_base.hpp"
namespace pp_ocr_v6 {
struct TextBox {
  std::array<int, 8> points;
  float score;
};
}  // namespace pp_ocr_v6

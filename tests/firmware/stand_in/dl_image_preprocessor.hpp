#pragma once
#include <array>
#include <string>
#include <vector>

#include "dl_image_define.hpp"
#include "dl_model_base.hpp"
namespace dl {
namespace image {
class ImagePreprocessor {
 public:
  ImagePreprocessor(Model* model, const std::array<float, 3>& mean, const std::array<float, 3>& std,
                    bool rgb_swap = false, const std::string& input = "");
  void enable_letterbox(const std::array<uint8_t, 3>& background = {});
  void preprocess(const img_t& image, const std::vector<int>& crop = {});

 private:
  Model* model_;
};
}  // namespace image
}  // namespace dl

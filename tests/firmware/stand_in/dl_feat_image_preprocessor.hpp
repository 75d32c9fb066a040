#pragma once
#include "dl_image_preprocessor.hpp"
namespace dl {
namespace image {
class FeatImagePreprocessor {
 public:
  FeatImagePreprocessor(Model* model, const std::array<float, 3>& mean,
                        const std::array<float, 3>& std, bool rgb_swap = false)
      : turned_(model, mean, std, rgb_swap) {}
  void preprocess(const img_t& image, const std::vector<int>& landmarks) {
    turned_.preprocess(image, landmarks);
  }

 private:
  ImagePreprocessor turned_;
};
}  // namespace image
}  // namespace dl

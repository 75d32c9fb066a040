#pragma once
#include <vector>

#include "pp_ocr_v6.hpp"
namespace pp_ocr_v6 {
class DetPostprocessor {
 public:
  DetPostprocessor(dl::Model* model, float threshold = 0.2F, float box_threshold = 0.4F,
                   float unclip_ratio = 1.4F, int min_size = 3, int max_candidates = 3000);
  std::vector<TextBox> postprocess(const dl::image::img_t& image, float scale, int model_width,
                                   int model_height);

 private:
  dl::Model* model_;
};
}  // namespace pp_ocr_v6

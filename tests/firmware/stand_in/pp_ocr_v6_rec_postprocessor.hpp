#pragma once
#include <string>

#include "pp_ocr_v6.hpp"
namespace pp_ocr_v6 {
class RecCTCPostprocessor {
 public:
  explicit RecCTCPostprocessor(dl::Model* model) : model_(model) {}
  std::string postprocess(float* score = nullptr);

 private:
  dl::Model* model_;
};
}  // namespace pp_ocr_v6

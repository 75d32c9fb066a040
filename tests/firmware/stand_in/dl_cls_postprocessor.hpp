#pragma once
#include <vector>

#include "dl_model_base.hpp"
namespace dl {
namespace cls {
struct result_t {
  const char* cat_name;
  float score;
};
class ClsPostprocessor {
 public:
  ClsPostprocessor(Model* model, int top_k, float score, bool softmax)
      : model_(softmax && top_k > 0 && score < 1 ? model : nullptr) {}
  virtual ~ClsPostprocessor() = default;
  virtual std::vector<result_t>& postprocess();

 private:
  Model* model_;
  std::vector<result_t> found_;
};
}  // namespace cls
}  // namespace dl

#pragma once
#include <memory>
#include <string>

#include "dl_model_base.hpp"
namespace dl {
namespace feat {
class FeatPostprocessor {
 public:
  explicit FeatPostprocessor(Model* model, const std::string& output = "") : model_(model) {
    (void)output;
  }
  TensorBase* postprocess();

 private:
  Model* model_;
  std::vector<float> values_;
  std::unique_ptr<TensorBase> found_;
};
}  // namespace feat
}  // namespace dl

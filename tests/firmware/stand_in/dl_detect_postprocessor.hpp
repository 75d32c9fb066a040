#pragma once
#include <list>
#include <vector>

#include "dl_image_preprocessor.hpp"
#include "dl_model_base.hpp"
namespace dl {
namespace detect {
struct result_t {
  int category;
  float score;
  std::vector<int> box;
  std::vector<int> keypoint;
  std::vector<uint8_t> mask{};
};
struct anchor_point_stage_t {
  int stride_y, stride_x, offset_y, offset_x;
};
struct anchor_box_stage_t {
  int stride_y, stride_x, offset_y, offset_x;
  std::vector<std::vector<int>> anchor_shape;
};
class DetectPostprocessor {
 public:
  explicit DetectPostprocessor(Model* model) : model_(model) {}
  virtual ~DetectPostprocessor() = default;
  virtual void postprocess();
  void nms() { suppressed_ = true; }
  void clear_result() { found_.clear(); }
  std::list<result_t>& get_result(int width, int height);

 protected:
  Model* model_;
  bool together_ = false, suppressed_ = false;
  std::list<result_t> found_;
};
template <class Stage>
class FakePostprocessor : public DetectPostprocessor {
 public:
  FakePostprocessor(Model* model, image::ImagePreprocessor* picture, float, float, int,
                    const std::vector<Stage>&);
};
template <class Stage>
FakePostprocessor<Stage>::FakePostprocessor(Model* model, image::ImagePreprocessor* picture, float,
                                            float, int, const std::vector<Stage>&)
    : DetectPostprocessor(picture == nullptr ? nullptr : model) {}
}  // namespace detect
}  // namespace dl

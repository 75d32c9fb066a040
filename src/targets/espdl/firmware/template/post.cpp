#include "post.hpp"

#include <cmath>

namespace check {
namespace {

class Boxes : public Post {
 public:
  Boxes(dl::detect::DetectPostprocessor* processor, bool together)
      : processor_(processor), together_(together) {}

  void begin() override { processor_->clear_result(); }
  void look() override { processor_->postprocess(); }

  Found end(int width, int height) override {
    if (together_) processor_->nms();
    Found found;
    std::vector<int32_t>& rows = found["boxes"];
    std::vector<int32_t>& scores = found["scores"];
    int32_t count = 0;
    for (const dl::detect::result_t& one : processor_->get_result(width, height)) {
      rows.push_back(one.category);
      rows.insert(rows.end(), one.box.begin(), one.box.end());
      rows.insert(rows.end(), one.keypoint.begin(), one.keypoint.end());
      scores.push_back(in_millionths(one.score));
      add_mask(one, count, found);
      ++count;
    }
    found["count"] = {count};
    return found;
  }

 private:
  // Only results of networks that segment have one.
  template <class Result>
  static void add_mask(const Result& one, int32_t number, Found& found) {
    if constexpr (requires { one.mask.begin(); }) {
      if (one.mask.empty()) return;
      found["mask_" + std::to_string(number)].assign(one.mask.begin(), one.mask.end());
    }
  }

  std::unique_ptr<dl::detect::DetectPostprocessor> processor_;
  bool together_;
};

class Classes : public Post {
 public:
  explicit Classes(dl::cls::ClsPostprocessor* processor) : processor_(processor) {}

  void begin() override {
    scores_.clear();
    names_.clear();
  }
  void look() override {
    begin();
    for (const dl::cls::result_t& one : processor_->postprocess()) {
      scores_.push_back(in_millionths(one.score));
      if (!names_.empty()) names_.push_back('\n');
      const std::string name = one.cat_name;
      for (const char c : name) names_.push_back(static_cast<unsigned char>(c));
    }
  }
  Found end(int, int) override { return {{"scores", scores_}, {"names", names_}}; }

 private:
  std::unique_ptr<dl::cls::ClsPostprocessor> processor_;
  std::vector<int32_t> scores_, names_;
};

class Feature : public Post {
 public:
  explicit Feature(dl::feat::FeatPostprocessor* processor) : processor_(processor) {}

  void begin() override { values_.clear(); }
  void look() override {
    dl::TensorBase* made = processor_->postprocess();
    const float* values = made->get_element_ptr<float>();
    int64_t elements = 1;
    for (const int dim : made->shape) elements *= dim;
    values_.clear();
    for (int64_t i = 0; i < elements; ++i) values_.push_back(in_millionths(values[i]));
  }
  Found end(int, int) override { return {{"feature", values_}}; }

 private:
  std::unique_ptr<dl::feat::FeatPostprocessor> processor_;
  std::vector<int32_t> values_;
};

}  // namespace

int32_t in_millionths(float value) { return static_cast<int32_t>(std::lround(value * 1e6F)); }

std::unique_ptr<Post> boxes(dl::detect::DetectPostprocessor* processor, bool together) {
  return std::make_unique<Boxes>(processor, together);
}

std::unique_ptr<Post> classes(dl::cls::ClsPostprocessor* processor) {
  return std::make_unique<Classes>(processor);
}

std::unique_ptr<Post> feature(dl::feat::FeatPostprocessor* processor) {
  return std::make_unique<Feature>(processor);
}

}  // namespace check

#include "yolo26.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "post.hpp"

namespace check {
namespace {

constexpr std::array kStrides = {8, 16, 32};

float scale_of(const dl::TensorBase& t) { return std::ldexp(1.0F, t.exponent); }

float real(const dl::TensorBase& t, int64_t index) {
  const int q = t.dtype == dl::DATA_TYPE_INT8 ? static_cast<const int8_t*>(t.data)[index]
                                              : static_cast<const int16_t*>(t.data)[index];
  return static_cast<float>(q) * scale_of(t);
}

float logistic(float x) {
  return static_cast<float>(1.0 / (1.0 + static_cast<double>(std::exp(-x))));
}

// The logit of a share, as a step of the output below which nothing counts.
float lowest_logit(float share, const dl::TensorBase& of) {
  const float logit = -std::log(static_cast<float>(1.0 / static_cast<double>(share) - 1.0));
  const float most = of.dtype == dl::DATA_TYPE_INT8 ? 127.0F : 32767.0F;
  return std::clamp(std::floor(logit / scale_of(of)), -most - 1.0F, most) * scale_of(of);
}

struct Object {
  int category;
  float score;
  std::array<int, 4> box;
};

class Yolo26 : public Post {
 public:
  Yolo26(dl::Model* model, float score, int most) : model_(model), score_(score), most_(most) {}

  void begin() override { found_.clear(); }

  void look() override {
    begin();
    for (size_t i = 0; i < kStrides.size(); ++i) {
      const std::string name = "one2one_p" + std::to_string(i + 3);
      auto& outputs = model_->get_outputs();
      search(*outputs.at(name + "_box"), *outputs.at(name + "_cls"), kStrides[i]);
    }
    if (found_.size() <= static_cast<size_t>(most_)) return;
    std::stable_sort(found_.begin(), found_.end(),
                     [](const Object& a, const Object& b) { return a.score > b.score; });
    found_.resize(static_cast<size_t>(most_));
  }

  Found end(int, int) override {
    Found found;
    std::vector<int32_t>& rows = found["boxes"];
    std::vector<int32_t>& scores = found["scores"];
    for (const Object& one : found_) {
      rows.push_back(one.category);
      rows.insert(rows.end(), one.box.begin(), one.box.end());
      scores.push_back(in_millionths(one.score));
    }
    found["count"] = {static_cast<int32_t>(found_.size())};
    return found;
  }

 private:
  // The best class of each cell, the first of equal ones.
  void search(const dl::TensorBase& box, const dl::TensorBase& score, int stride) {
    const float lowest = lowest_logit(score_, score);
    const int columns = score.shape[2], classes = score.shape[3];
    for (int64_t cell = 0; cell < int64_t{score.shape[1]} * columns; ++cell) {
      int best = -1;
      float logit = lowest;
      for (int c = 0; c < classes; ++c) {
        const float value = real(score, cell * classes + c);
        if (value > logit) {
          logit = value;
          best = c;
        }
      }
      if (best >= 0) add(best, logistic(logit), box, cell, columns, static_cast<float>(stride));
    }
  }

  void add(int category, float score, const dl::TensorBase& box, int64_t cell, int columns,
           float stride) {
    if (score < score_) return;
    const float x = static_cast<float>(cell % columns) + 0.5F;
    const float y = static_cast<float>(cell / columns) + 0.5F;
    const auto edge = [stride](float at) { return static_cast<int>(at * stride); };
    found_.push_back({category,
                      score,
                      {edge(x - real(box, 4 * cell)), edge(y - real(box, 4 * cell + 1)),
                       edge(x + real(box, 4 * cell + 2)), edge(y + real(box, 4 * cell + 3))}});
  }

  dl::Model* model_;
  float score_;
  int most_;
  std::vector<Object> found_;
};

}  // namespace

std::unique_ptr<Post> yolo26(dl::Model* model, float score, int most) {
  return std::make_unique<Yolo26>(model, score, most);
}

}  // namespace check

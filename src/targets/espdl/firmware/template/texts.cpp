#include "texts.hpp"

#include <algorithm>
#include <cmath>

#include "esp_heap_caps.h"
#include "post.hpp"
#include "pp_ocr_v6_det_postprocessor.hpp"
#include "pp_ocr_v6_image_preprocessor.hpp"
#include "pp_ocr_v6_rec_postprocessor.hpp"
#include "tensors.hpp"

namespace check {
namespace {

dl::TensorBase& input_of(dl::Model& model) { return *model.get_inputs().begin()->second; }

// What the detector's outputs are judged by.
struct Scaled {
  dl::image::img_t image = {};
  float factor = 1;
};

// The picture in the upper left corner of the input.
class CornerSight : public Sight {
 public:
  CornerSight(dl::Model* model, std::shared_ptr<Scaled> scaled)
      : height_(input_of(*model).shape[1]),
        width_(input_of(*model).shape[2]),
        memory_(static_cast<size_t>(height_) * static_cast<size_t>(width_) * 3),
        picture_(model, {123.675F, 116.28F, 103.53F}, {58.395F, 57.12F, 57.375F}, true),
        scaled_(std::move(scaled)) {}

  void prepare(const dl::image::img_t& image, const std::vector<int>&) override {
    scaled_->image = image;
    scaled_->factor = std::min(static_cast<float>(width_) / image.width,
                               static_cast<float>(height_) / image.height);
    dl::image::img_t sheet = {};
    sheet.data = memory_.data();
    sheet.width = static_cast<uint16_t>(width_);
    sheet.height = static_cast<uint16_t>(height_);
    sheet.pix_type = dl::image::DL_IMAGE_PIX_TYPE_RGB888;
    if (sheet.data == nullptr) return;  // the input stays as it was, and parts
    pp_ocr_v6::bilinear_letterbox_top_left(image, sheet, side(image.width, width_),
                                           side(image.height, height_));
    picture_.preprocess(sheet);
  }

 private:
  int side(int of, int most) const {
    return std::min(std::max(1, static_cast<int>(std::round(of * scaled_->factor))), most);
  }

  int height_, width_;
  Buffer memory_;
  dl::image::ImagePreprocessor picture_;
  std::shared_ptr<Scaled> scaled_;
};

class TextDetector : public Post {
 public:
  TextDetector(dl::Model* model, std::shared_ptr<Scaled> scaled, float threshold,
               float text_threshold, float unclip, int smallest)
      : height_(input_of(*model).shape[1]),
        width_(input_of(*model).shape[2]),
        scaled_(std::move(scaled)),
        processor_(model, threshold, text_threshold, unclip, smallest) {}

  void begin() override { found_.clear(); }
  void look() override {
    found_ = processor_.postprocess(scaled_->image, scaled_->factor, width_, height_);
  }
  Found end(int, int) override {
    Found found;
    for (const pp_ocr_v6::TextBox& one : found_) {
      found["corners"].insert(found["corners"].end(), one.points.begin(), one.points.end());
      found["scores"].push_back(in_millionths(one.score));
    }
    found["count"] = {static_cast<int32_t>(found_.size())};
    return found;
  }

 private:
  int height_, width_;
  std::shared_ptr<Scaled> scaled_;
  pp_ocr_v6::DetPostprocessor processor_;
  std::vector<pp_ocr_v6::TextBox> found_;
};

// A text turned upright.
class TextSight : public Sight {
 public:
  explicit TextSight(dl::Model* model) : model_(model) {}

  void prepare(const dl::image::img_t& image, const std::vector<int>& part) override {
    pp_ocr_v6::TextBox box = {};
    std::copy_n(part.begin(), std::min(part.size(), box.points.size()), box.points.begin());
    const dl::image::img_t cut = pp_ocr_v6::get_rotate_crop_image(image, box);
    if (cut.data == nullptr) return;  // the input stays as it was, and parts
    pp_ocr_v6::resize_norm_img(cut, &input_of(*model_));
    heap_caps_free(cut.data);
  }

 private:
  dl::Model* model_;
};

class TextReader : public Post {
 public:
  explicit TextReader(dl::Model* model) : processor_(model) {}

  void begin() override { found_.clear(); }
  void look() override {
    float score = 0;
    const std::string text = processor_.postprocess(&score);
    found_.clear();
    for (const char c : text) found_["text"].push_back(static_cast<unsigned char>(c));
    found_["scores"] = {in_millionths(score)};
  }
  Found end(int, int) override { return found_; }

 private:
  pp_ocr_v6::RecCTCPostprocessor processor_;
  Found found_;
};

}  // namespace

std::unique_ptr<Post> text_detector(dl::Model* model, Eyes& eyes, float threshold,
                                    float text_threshold, float unclip, int smallest) {
  const auto scaled = std::make_shared<Scaled>();
  eyes.sight = std::make_unique<CornerSight>(model, scaled);
  return std::make_unique<TextDetector>(model, scaled, threshold, text_threshold, unclip, smallest);
}

std::unique_ptr<Post> text_reader(dl::Model* model, Eyes& eyes) {
  eyes.sight = std::make_unique<TextSight>(model);
  return std::make_unique<TextReader>(model);
}

}  // namespace check

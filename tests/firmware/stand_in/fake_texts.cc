// The vendor's component for texts: what was expected, with or without a fault.
#include <algorithm>
#include <cstdlib>
#include <cstring>

#include "cases.hpp"
#include "fake.hpp"
#include "pp_ocr_v6_det_postprocessor.hpp"
#include "pp_ocr_v6_image_preprocessor.hpp"
#include "pp_ocr_v6_rec_postprocessor.hpp"
#include "vision.hpp"

namespace {

// Which case looks at the text that was cut out last.
size_t cut_case = 0;

}  // namespace

namespace pp_ocr_v6 {

void bilinear_letterbox_top_left(const dl::image::img_t& from, const dl::image::img_t& to,
                                 int width, int height, uint8_t) {
  if (from.data != check::kPicture.pixels) fake::stop("another picture");
  // One side fills the input, and none is longer.
  if (width > to.width || height > to.height) fake::stop("larger than the input");
  if (width != to.width && height != to.height) fake::stop("smaller than the input");
  fake::sheet() = to.data;
}

dl::image::img_t get_rotate_crop_image(const dl::image::img_t& image, const TextBox& box) {
  if (image.data != check::kPicture.pixels) fake::stop("another picture");
  for (size_t i = 0; i < check::kCaseCount; ++i) {
    const std::vector<int>& part = check::kLooks[i].part;
    if (part.size() != box.points.size()) continue;
    if (!std::equal(part.begin(), part.end(), box.points.begin())) continue;
    cut_case = i;
    return {std::malloc(1), 1, 1, image.pix_type};
  }
  fake::stop("no case looks at this text");
}

bool resize_norm_img(const dl::image::img_t& image, dl::TensorBase* input) {
  if (image.data == nullptr) fake::stop("no text");
  fake::write_input(cut_case, input->get_element_ptr<uint8_t>());
  return true;
}

DetPostprocessor::DetPostprocessor(dl::Model* model, float threshold, float box_threshold,
                                   float unclip_ratio, int min_size, int)
    : model_(model) {
  const bool usual = threshold == 0.2F && box_threshold == 0.4F && unclip_ratio == 1.4F;
  if (!usual || min_size != 3) fake::stop("other numbers than those of the case");
}

std::vector<TextBox> DetPostprocessor::postprocess(const dl::image::img_t& image, float scale, int,
                                                   int) {
  if (image.data != check::kPicture.pixels || scale <= 0) fake::stop("another picture");
  const std::vector<int32_t> corners = fake::integers(*model_, "corners");
  const std::vector<float> scores = fake::reals(*model_, "scores");
  std::vector<TextBox> found(scores.size());
  for (size_t i = 0; i < found.size(); ++i) {
    found[i].score = scores[i];
    for (size_t k = 0; k < 8; ++k) found[i].points[k] = corners[8 * i + k];
  }
  return found;
}

std::string RecCTCPostprocessor::postprocess(float* score) {
  const std::vector<float> scores = fake::reals(*model_, "scores");
  if (score != nullptr) *score = scores.empty() ? 0.0F : scores[0];
  std::string text;
  for (const uint8_t byte : fake::bytes(*model_, "text")) text += static_cast<char>(byte);
  return text;
}

}  // namespace pp_ocr_v6

// The picture's side of the chip: what was expected, with or without a fault.
#include <algorithm>
#include <cstdlib>
#include <cstring>

#include "cases.hpp"
#include "dl_cls_postprocessor.hpp"
#include "dl_detect_postprocessor.hpp"
#include "dl_feat_postprocessor.hpp"
#include "dl_image_jpeg.hpp"
#include "fake.hpp"
#include "vision.hpp"

namespace {

// FAKE_INPUT, FAKE_RESULT, FAKE_PICTURE: "name:delta"; the first element of it is wrong.
int delta_of(const char* variable, const std::string& name) {
  const std::string text = fake::environment(variable);
  const size_t colon = text.rfind(':');
  if (colon == std::string::npos || text.substr(0, colon) != name) return 0;
  return std::atoi(text.c_str() + colon + 1);
}

check::Golden golden_of(const uint8_t* from, const uint8_t* to) {
  check::Golden golden;
  const std::string damage = check::open_golden(from, static_cast<size_t>(to - from), golden);
  if (!damage.empty()) fake::stop("result: " + damage);
  return golden;
}

// The expected results of the case that ran last; none where a later one has them.
check::Golden results_of(const dl::Model& model) {
  const check::Look& look = check::kLooks[fake::last_case(model)];
  return look.result == nullptr ? check::Golden() : golden_of(look.result, look.result_end);
}

const check::GoldenTensor* find(const check::Golden& golden, const std::string& name) {
  for (const check::GoldenTensor& t : golden.outputs) {
    if (t.name == name) return &t;
  }
  return nullptr;
}

template <class T>
std::vector<T> values(const check::Golden& golden, const std::string& name) {
  std::vector<T> result;
  const check::GoldenTensor* t = find(golden, name);
  if (t == nullptr) return result;
  result.resize(t->bytes / sizeof(T));
  std::memcpy(result.data(), t->data, t->bytes);
  if (const int delta = delta_of("FAKE_RESULT", name); delta != 0) {
    result[0] += static_cast<T>(delta);
  }
  return result;
}

}  // namespace

namespace fake {

void write_input(size_t index, uint8_t* to) {
  const check::Case& one = check::kCases[index];
  const check::Golden golden = golden_of(one.golden, one.golden_end);
  const check::GoldenTensor& input = golden.inputs[0];
  std::memcpy(to, input.data, input.bytes);
  to[0] = static_cast<uint8_t>(to[0] + delta_of("FAKE_INPUT", one.name));
}

std::vector<int32_t> integers(const dl::Model& model, const std::string& name) {
  return values<int32_t>(results_of(model), name);
}

std::vector<float> reals(const dl::Model& model, const std::string& name) {
  return values<float>(results_of(model), name);
}

std::vector<uint8_t> bytes(const dl::Model& model, const std::string& name) {
  return values<uint8_t>(results_of(model), name);
}

void*& sheet() {
  static void* one = nullptr;
  return one;
}

}  // namespace fake

namespace dl {
namespace image {

img_t sw_decode_jpeg(const jpeg_img_t& jpeg, pix_type_t) {
  const unsigned char* bytes = static_cast<const unsigned char*>(jpeg.data);
  if (jpeg.data_len < 3 || bytes[0] != 0xFF || bytes[1] != 0xD8) fake::stop("no JPEG");
  const check::Picture& p = check::kPicture;
  const size_t size = static_cast<size_t>(p.pixels_end - p.pixels);
  uint8_t* made = static_cast<uint8_t*>(std::malloc(size));
  std::memcpy(made, p.pixels, size);
  made[0] = static_cast<uint8_t>(made[0] + delta_of("FAKE_PICTURE", p.name));
  return {made, static_cast<uint16_t>(p.width), static_cast<uint16_t>(p.height),
          DL_IMAGE_PIX_TYPE_RGB888};
}

ImagePreprocessor::ImagePreprocessor(Model* model, const std::array<float, 3>&,
                                     const std::array<float, 3>& std, bool, const std::string&)
    : model_(model) {
  if (std[0] == 0) fake::stop("a deviation of 0");
}

void ImagePreprocessor::enable_letterbox(const std::array<uint8_t, 3>&) {}

void ImagePreprocessor::preprocess(const img_t& image, const std::vector<int>& part) {
  if (image.data != check::kPicture.pixels && image.data != fake::sheet()) {
    fake::stop("another picture");
  }
  for (const size_t i : fake::cases_of(*model_)) {
    if (check::kLooks[i].part != part) continue;
    fake::write_input(i, model_->get_inputs().begin()->second->get_element_ptr<uint8_t>());
    return;
  }
  fake::stop("no case looks there");
}

}  // namespace image

namespace detect {

void DetectPostprocessor::postprocess() {
  if (model_ == nullptr) fake::stop("a detector without a picture");
  const check::Golden golden = results_of(*model_);
  const std::vector<int32_t> rows = values<int32_t>(golden, "boxes");
  const std::vector<float> scores = values<float>(golden, "scores");
  if (scores.empty()) return;
  const size_t width = rows.size() / scores.size();
  for (size_t i = 0; i < scores.size(); ++i) {
    const auto row = rows.begin() + static_cast<std::ptrdiff_t>(i * width);
    result_t one = {row[0],
                    scores[i],
                    {row + 1, row + 5},
                    {row + 5, row + static_cast<std::ptrdiff_t>(width)},
                    {}};
    one.mask = values<uint8_t>(golden, "mask_" + std::to_string(i));
    found_.push_back(one);
  }
}

std::list<result_t>& DetectPostprocessor::get_result(int width, int height) {
  if (width != check::kPicture.width || height != check::kPicture.height) fake::stop("size");
  return found_;
}

}  // namespace detect

namespace cls {

std::vector<result_t>& ClsPostprocessor::postprocess() {
  if (model_ == nullptr) fake::stop("a classifier without softmax");
  found_.clear();
  static std::vector<std::string> names;  // a line each, as long as the application runs
  names.assign(1, "");
  for (const uint8_t byte : values<uint8_t>(results_of(*model_), "names")) {
    if (byte == '\n') names.emplace_back();
    if (byte != '\n') names.back() += static_cast<char>(byte);
  }
  const std::vector<float> scores = values<float>(results_of(*model_), "scores");
  names.resize(std::max(names.size(), scores.size()));
  for (const float score : scores) found_.push_back({names[found_.size()].c_str(), score});
  return found_;
}

}  // namespace cls

namespace feat {

TensorBase* FeatPostprocessor::postprocess() {
  values_ = values<float>(results_of(*model_), "feature");
  // On a border of 16, as the chip's memory is.
  const size_t bytes = (values_.size() * sizeof(float) + 15) / 16 * 16;
  static void* memory = nullptr;
  std::free(memory);
  memory = std::aligned_alloc(16, bytes);
  std::memcpy(memory, values_.data(), values_.size() * sizeof(float));
  found_ = std::make_unique<TensorBase>(std::vector<int>{1, static_cast<int>(values_.size())},
                                        memory, 0, DATA_TYPE_FLOAT, false);
  return found_.get();
}

}  // namespace feat
}  // namespace dl

#include "stages.hpp"

#include <algorithm>
#include <cstdlib>

#include "cases.hpp"
#include "dl_image_jpeg.hpp"
#include "esp_heap_caps.h"
#include "vision.hpp"

namespace check {
namespace {

// The float results of the chip are compared in millionths.
constexpr uint8_t kFloat = 1;

struct Current {
  int stage = -1;
  Eyes eyes;
};
Current& current() {
  static Current one;
  return one;
}

size_t size_of(const uint8_t* from, const uint8_t* to) { return static_cast<size_t>(to - from); }

void tell(const char* stage, const std::string& name, const void* data, size_t bytes,
          Report& report) {
  report.info({{"stage", stage},
               {"of", name},
               {"bytes", std::to_string(bytes)},
               {"crc32", hexadecimal(edgetwin_golden::crc32(data, bytes))}});
}

void verdict(const char* suite, const std::string& name, const Difference& difference,
             Report& report) {
  if (difference.equal()) return report.pass(suite, name, difference.checked);
  report.fail(suite, name, difference);
}

// The chip's decoder against the pixels that were expected.
Difference decoded_jpeg(Report& report) {
  dl::image::jpeg_img_t jpeg = {};
  jpeg.data = const_cast<uint8_t*>(kPicture.jpeg);
  jpeg.data_len = size_of(kPicture.jpeg, kPicture.jpeg_end);
  const dl::image::img_t image =
      dl::image::sw_decode_jpeg(jpeg, dl::image::DL_IMAGE_PIX_TYPE_RGB888);
  if (image.data == nullptr) return wrong("not-decoded", 0, 1);
  Difference difference;
  if (image.width != kPicture.width || image.height != kPicture.height) {
    difference = wrong("size", image.width * image.height, kPicture.width * kPicture.height);
  } else {
    const uint8_t* made = static_cast<const uint8_t*>(image.data);
    const size_t bytes = size_of(kPicture.pixels, kPicture.pixels_end);
    tell("picture", kPicture.name, made, bytes, report);
    int largest = 0;
    for (size_t i = 0; i < bytes; ++i) {
      ++difference.checked;
      if (made[i] == kPicture.pixels[i]) continue;
      largest = std::max(largest, std::abs(made[i] - kPicture.pixels[i]));
      difference.add(static_cast<int64_t>(i), made[i], kPicture.pixels[i]);
    }
    report.info({{"picture_largest_difference", std::to_string(largest)}});
  }
  heap_caps_free(image.data);
  return difference;
}

dl::image::img_t pixels() {
  dl::image::img_t image = {};
  image.data = const_cast<uint8_t*>(kPicture.pixels);
  image.width = static_cast<uint16_t>(kPicture.width);
  image.height = static_cast<uint16_t>(kPicture.height);
  image.pix_type = dl::image::DL_IMAGE_PIX_TYPE_RGB888;
  return image;
}

Difference compare_found(const GoldenTensor& golden, const Found& found, const Look& look) {
  const auto at = found.find(golden.name);
  const size_t have = at == found.end() ? 0 : at->second.size();
  if (have != golden.elements()) {
    return wrong("size", static_cast<int64_t>(have), static_cast<int64_t>(golden.elements()));
  }
  Difference difference;
  const bool real = golden.dtype == kFloat;
  const int64_t slack = real ? look.scores : golden.name == "corners" ? look.corners : 0;
  for (uint32_t i = 0; i < golden.elements(); ++i) {
    const int64_t sim =
        golden.dtype == kFloat ? millionths(golden.data, i) : element(golden.dtype, golden.data, i);
    const int64_t hw = at->second[i];
    ++difference.checked;
    if (hw < sim - slack || hw > sim + slack) difference.add(i, hw, sim);
  }
  return difference;
}

}  // namespace

void open_picture(Report& report) {
  const size_t bytes = size_of(kPicture.pixels, kPicture.pixels_end);
  report.info({{"picture", kPicture.name},
               {"width", std::to_string(kPicture.width)},
               {"height", std::to_string(kPicture.height)}});
  const uint32_t crc = edgetwin_golden::crc32(kPicture.pixels, bytes);
  Difference difference;
  if (crc != kPicture.crc32) {
    difference = wrong("picture-crc32", crc, kPicture.crc32);
  } else if (kPicture.jpeg != nullptr) {
    difference = decoded_jpeg(report);
  } else {
    tell("picture", kPicture.name, kPicture.pixels, bytes, report);
    difference.checked = static_cast<int64_t>(bytes);
  }
  // What follows is judged by itself: it sees the expected pixels.
  verdict("picture", kPicture.name, difference, report);
}

void leave_model() { current() = Current(); }

void before_run(dl::Model& model, size_t index, const Golden& golden, Report& report) {
  const Look& look = kLooks[index];
  Current& now = current();
  if (now.stage != look.stage) {
    now.eyes = make_eyes(look.stage, model);
    now.stage = look.stage;
    now.eyes.post->begin();
  }
  now.eyes.prepare(pixels(), look.part);
  const GoldenTensor& expected = golden.inputs[0];
  dl::TensorBase& input = *model.get_inputs().at(expected.name);
  tell("input", kCases[index].name, input.get_element_ptr<uint8_t>(), expected.bytes, report);
  verdict("input", kCases[index].name, compare(expected, input), report);
}

void after_run(dl::Model& model, size_t index, Report& report) {
  const Look& look = kLooks[index];
  Current& now = current();
  for (const auto& [name, output] : model.get_outputs()) {
    tell("output", std::string(kCases[index].name) + "/" + name, output->get_element_ptr<uint8_t>(),
         static_cast<size_t>(output->get_bytes()), report);
  }
  now.eyes.post->look();
  if (look.result == nullptr) return;
  const Found found = now.eyes.post->end(kPicture.width, kPicture.height);
  now.eyes.post->begin();
  Golden result;
  const std::string damage =
      open_golden(look.result, size_of(look.result, look.result_end), result);
  if (!damage.empty()) return report.fail("result", kCases[index].name, wrong(damage, 0, 1));
  for (const GoldenTensor& expected : result.outputs) {
    const std::string name = std::string(kCases[index].name) + "/" + expected.name;
    const auto at = found.find(expected.name);
    if (at != found.end()) {
      tell("result", name, at->second.data(), at->second.size() * sizeof(int32_t), report);
    }
    verdict("result", name, compare_found(expected, found, look), report);
  }
}

void Eyes::prepare(const dl::image::img_t& image, const std::vector<int>& part) {
  if (sight != nullptr) {
    sight->prepare(image, part);
  } else if (face != nullptr) {
    face->preprocess(image, part);
  } else {
    picture->preprocess(image, part);
  }
}

}  // namespace check

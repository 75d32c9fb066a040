// What a picture pipeline of ESP-DL is told: the members of the document P.json of
// docs/espdl-image.md, which has their meaning.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/json/json.h"
#include "base/result.h"
#include "image/espdl/pixel.h"
#include "numerics/rounding.h"

namespace edgetwin::espdl_image {

// The chip whose pipeline it is. They differ in the rounding of the table only.
enum class Chip : uint8_t { c, esp32s3, esp32p4 };
// By each name that the table of targets has for it.
std::optional<Chip> chip_from_name(std::string_view name);
std::string chip_names();  // for messages
// `c`, `esp32s3`: half_up. `esp32p4`: half_even.
numerics::Rounding rounding_of(Chip chip);

enum class Pipeline : uint8_t {
  transform,  // crop, scale, border, conversion, quantization
  ocr_det,    // into the upper left corner, bilinear; the rest is 127
  ocr_rec,    // a quadrangle turned upright, bicubic
};

struct Box {
  int x1 = 0, y1 = 0, x2 = 0, y2 = 0;  // x2 and y2 are not included
  int width() const { return x2 - x1; }
  int height() const { return y2 - y1; }
};

struct Border {
  int top = 0, bottom = 0, left = 0, right = 0;
};

struct Params {
  Pipeline pipeline = Pipeline::transform;
  PixelType source = PixelType::rgb888;
  std::optional<PixelType> target;
  std::optional<int> width, height;  // of the result, border included
  std::vector<float> mean, std;      // of quantized targets; one per channel of the target
  std::optional<int> exponent;
  std::optional<Box> crop;
  std::optional<Border> border;
  bool letterbox = false;
  std::vector<uint8_t> background;             // r, g, b or one level; empty: 0
  std::optional<std::array<float, 6>> affine;  // 2 x 3, row by row
  bool affine_is_inverse = false;              // it maps the target to the source
  // x, y of the left eye, left corner of the mouth, nose, right eye, right corner of the mouth.
  std::optional<std::array<int, 10>> landmarks;
  std::optional<std::array<uint8_t, 3>> hsv_min, hsv_max;
  int bits = 8;                           // of ocr_rec: 8 or 16
  std::optional<std::array<int, 8>> box;  // of ocr_rec: four corners x, y
  Chip chip = Chip::c;
};

// Members that the pipeline does not have, values of the wrong kind and combinations without a
// meaning are errors. `file` is used in errors only. Errors: bad_value, IMG-PARAM-01.
Result<Params> read_params(std::string_view text, const std::string& file);
Result<Params> params_of(const Json& document);

// Is all there that the pipeline needs? Apart from reading, because a model may supply some of it.
// Error: IMG-PARAM-01.
Status check_complete(const Params& params);

}  // namespace edgetwin::espdl_image

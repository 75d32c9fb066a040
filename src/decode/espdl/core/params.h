// What a decoder of ESP-DL's models is told: the members of P.json of docs/espdl-decode.md.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "base/json/json.h"
#include "base/result.h"
#include "image/espdl/geometry.h"
#include "image/espdl/params.h"

namespace edgetwin::espdl_decode {

struct Size {
  int width = 0, height = 0;
};

// A colour that espdl-color looks for; hue may wrap around 180.
struct Colour {
  std::string name;
  std::array<uint8_t, 3> low{}, high{};  // hue, saturation, value; both included
  std::optional<int> area;
};

struct Params {
  std::optional<Size> source, input;  // of the picture, of the network's input
  bool letterbox = false;
  std::optional<espdl_image::Box> crop;
  // Absent: the values of the published model.
  std::optional<float> score_threshold, nms_threshold;
  std::optional<int> top_k;
  std::optional<int> classes;   // of espdl-yolo, where shapes leave it open
  bool channels_first = false;  // outputs as ONNX has them
  bool softmax = true;
  // Of espdl-ocr-det; `threshold` also of espdl-match and, in levels, of espdl-motion.
  std::optional<float> threshold, box_threshold, unclip_ratio, min_size;
  std::vector<std::string> database;  // files
  std::string query, first, second, samples, picture;
  std::vector<Colour> colours;
  std::optional<int> morphology;  // side of the square of espdl-color's opening and closing
  std::vector<int> deleted;
  std::optional<espdl_image::PixelType> pixels;  // `source` of espdl-motion
  std::optional<int> stride, frames, exponent;
  espdl_image::Chip chip = espdl_image::Chip::c;

  numerics::Rounding rounding() const { return espdl_image::rounding_of(chip); }
  // Where the picture lies in the input. Error: bad_value without `source` and `input`, or with a
  // crop beyond the picture.
  Result<espdl_image::Placement> placement() const;
};

// Unknown members and values of the wrong kind are errors. `file` is used in errors only. Error:
// bad_value.
Result<Params> read_params(std::string_view text, const std::string& file);

}  // namespace edgetwin::espdl_decode

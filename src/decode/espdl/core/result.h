// What ESP-DL's post-processors make of outputs.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/json/json.h"
#include "tensor/tensor.h"

namespace edgetwin::espdl_decode {

struct ClassScore {
  int category = 0;
  float score = 0.0F;
};

struct ReadText {
  std::vector<int> classes;  // of the dictionary, which has class c in line c
  float score = 0.0F;
  bool kept = true;  // the chip drops texts below 0.5
};

struct Detection {
  int category = 0;
  float score = 0.0F;
  std::array<int, 4> box{};    // x1, y1, x2, y2 in pixels of the picture
  std::vector<int> keypoints;  // x, y, …
  std::optional<Tensor> mask;  // uint8 of 0 and 1, rows and columns of the box
  int64_t mask_pixels = 0;
  std::optional<int64_t> pixels;    // of espdl-color: of the area, in the detector's size
  std::vector<ClassScore> classes;  // what a second network says of the box
  int64_t cell = 0;                 // where it comes from: stage and cell of the output
  int stage = 0;
};

struct TextBox {
  std::array<int, 8> points{};  // x, y of the corners, clockwise from the left upper one
  float score = 0.0F;
};

struct Match {
  int id = 0;
  float similarity = 0.0F;
};

// What a decoder gives; only its own members are there.
struct Decoded {
  std::optional<std::vector<Detection>> detections;
  std::optional<std::vector<ClassScore>> classes;
  std::optional<std::vector<TextBox>> boxes;
  std::optional<std::vector<Match>> matches;
  std::optional<ReadText> text;
  std::optional<int64_t> moving_points;
  int64_t classes_of_head = 0;            // of espdl-yolo
  std::vector<Tensor> arrays;             // by name: feature, fbank, quantized
  std::vector<std::string> names;         // of the classes; where absent, numbers
  std::vector<ReadText> texts;            // of each of `boxes`, where a second network read them
  std::vector<std::string> second_names;  // of Detection::classes, or the dictionary of texts
  std::vector<std::string> remarks;       // what a reader of the result should know

  std::string name_of(int category) const;
  std::string second_name_of(int category) const;
  std::string text_of(const ReadText& read) const;  // by `names` as the dictionary
  std::string second_text_of(const ReadText& read) const;
};

// The document of result.json. Scores have nine significant digits.
Json result_json(const Decoded& decoded);

// All arrays with the names of their files: masks and the decoder's own.
std::vector<std::pair<std::string, const Tensor*>> result_arrays(const Decoded& decoded);

}  // namespace edgetwin::espdl_decode

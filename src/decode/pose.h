// People as key points, as pose networks give them.
#pragma once

#include <array>
#include <span>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "tensor/tensor.h"

namespace edgetwin::decode {

inline constexpr int kKeypoints = 17;

inline constexpr std::array<std::string_view, kKeypoints> kKeypointNames = {
    "nose",           "left eye",   "right eye",   "left ear",   "right ear",   "left shoulder",
    "right shoulder", "left elbow", "right elbow", "left wrist", "right wrist", "left hip",
    "right hip",      "left knee",  "right knee",  "left ankle", "right ankle"};

struct Keypoint {
  double x = 0.0, y = 0.0;  // pixels
  double score = 0.0;       // 0 to 1
  bool operator==(const Keypoint&) const = default;
};

struct Person {
  double score = 0.0;
  std::array<Keypoint, kKeypoints> points = {};
  bool operator==(const Person&) const = default;
};

// From pixels of the network's input to those of the picture.
std::vector<Person> scaled(std::vector<Person> people, double x_factor, double y_factor);

// A copy of `picture` (uint8, height x width x 3) with a skeleton for each person; only key points
// of at least `threshold`. Error: decode_maps for other pictures.
Result<Tensor> draw_people(const Tensor& picture, const std::vector<Person>& people,
                           double threshold);

}  // namespace edgetwin::decode

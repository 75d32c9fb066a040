// A class for every pixel: DeepLab and kin.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "tensor/tensor.h"

namespace edgetwin::decode {

// The 21 classes of PASCAL VOC, background first, in the order that networks trained on it use.
inline constexpr std::array<std::string_view, 21> kPascalNames = {
    "background", "aeroplane", "bicycle",     "bird",  "boat",        "bottle", "bus",
    "car",        "cat",       "chair",       "cow",   "diningtable", "dog",    "horse",
    "motorbike",  "person",    "pottedplant", "sheep", "sofa",        "train",  "tvmonitor"};

inline constexpr uint8_t kNotJudged = 255;  // of masks: the border of objects

struct ClassMap {
  int64_t height = 0, width = 0;
  std::vector<uint8_t> classes;  // height x width
};

// The colour of a class in PASCAL VOC's masks: bits 0, 1, 2 of the class give the top bits of red,
// green and blue, the next three the bits below, and so on.
std::array<uint8_t, 3> pascal_color(uint8_t class_index);

// `output`: (1 x) H x W (x 1) of whole numbers, the classes themselves; or (1 x) H x W x C, of
// which the largest counts, the first of equal ones. At most 256 classes. Error: decode_maps.
Result<ClassMap> class_map(const Tensor& output);

// A mask as classes: a picture of one channel, whose levels are classes (255: not judged); or of
// three, with greys of the 21 classes of PASCAL VOC and 255, or with their colours, of which others
// become 255. Error: decode_maps.
Result<ClassMap> class_map_of_mask(const Tensor& picture);

// Another size, by the nearest pixel: source row = y * height / new height in integers.
ClassMap resized(const ClassMap& map, int64_t height, int64_t width);

// Pixels in both over pixels in either, for one class; pixels of 255 in `truth` are left out. 1
// where neither has the class. The maps must have one size.
double overlap(const ClassMap& map, const ClassMap& truth, uint8_t class_index);

// How many pixels each class has; 256 numbers.
std::vector<int64_t> pixel_counts(const ClassMap& map);

// The picture (uint8, height x width x 3) with the colours of all classes but 0 laid over it, half
// and half; the map is brought to its size. Error: decode_maps.
Result<Tensor> draw_classes(const Tensor& picture, const ClassMap& map);

}  // namespace edgetwin::decode

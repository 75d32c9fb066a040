#include "decode/segmentation.h"

#include <algorithm>
#include <cmath>

#include "decode/draw.h"
#include "decode/maps.h"
#include "image/pixels.h"

namespace edgetwin::decode {
namespace {

constexpr int64_t kMostClasses = 256;

Error too_many(const std::string& what) {
  return maps_error(what + "; a map has at most 256 classes");
}

// Whole numbers that are classes already.
Result<ClassMap> classes_themselves(const Tensor& t, int64_t height, int64_t width) {
  ClassMap map{height, width, {}};
  map.classes.resize(static_cast<size_t>(height * width));
  for (size_t i = 0; i < map.classes.size(); ++i) {
    const double v = element_as_double(t.dtype, t.data, static_cast<int64_t>(i));
    if (!(v >= 0.0 && v < static_cast<double>(kMostClasses))) {
      return too_many("element " + std::to_string(i) + " of '" + t.name + "' is not a class");
    }
    map.classes[i] = static_cast<uint8_t>(v);
  }
  return map;
}

// The channel of the largest value at each position, the first of equal ones.
template <class T>
void largest(const T* values, size_t channels, std::vector<uint8_t>& classes) {
  for (uint8_t& c : classes) {
    T best = values[0];
    uint8_t at = 0;
    for (size_t i = 1; i < channels; ++i) {
      // Without a branch: in a picture nobody can guess.
      const bool larger = values[i] > best;
      at = larger ? static_cast<uint8_t>(i) : at;
      best = larger ? values[i] : best;
    }
    c = at;
    values += channels;
  }
}

bool is_index_type(DType type) {
  return type == DType::int64 || type == DType::int32 || type == DType::uint8 ||
         type == DType::int16;
}

}  // namespace

std::array<uint8_t, 3> pascal_color(uint8_t class_index) {
  std::array<uint8_t, 3> color = {};
  for (unsigned bit = 0, rest = class_index; rest != 0; ++bit, rest >>= 3) {
    for (unsigned channel = 0; channel < 3; ++channel) {
      color[channel] =
          static_cast<uint8_t>(color[channel] | ((rest >> channel & 1U) << (7U - bit)));
    }
  }
  return color;
}

Result<ClassMap> class_map(const Tensor& output) {
  const Shape& s = output.shape;
  const bool sized =
      s.is_static() && s.elements() > 0 && within_limits(output.dtype, s) &&
      static_cast<int64_t>(output.data.size()) == storage_bytes(output.dtype, s.elements());
  if (!sized) return maps_error("'" + output.name + "' is " + to_string(s) + ", no map");
  const bool plain = s.rank() == 2 || (s.rank() == 3 && s[0] == 1);
  if (plain && is_index_type(output.dtype)) return classes_themselves(output, s.back(1), s.back(0));
  EDGETWIN_TRY_ASSIGN(const MapSize size, map_size(output));
  if (size.channels == 1 && is_index_type(output.dtype)) {
    return classes_themselves(output, size.height, size.width);
  }
  if (size.channels > kMostClasses) {
    return too_many("'" + output.name + "' has " + std::to_string(size.channels) + " channels");
  }
  const auto positions = static_cast<size_t>(size.height * size.width);
  ClassMap map{size.height, size.width, std::vector<uint8_t>(positions)};
  const auto channels = static_cast<size_t>(size.channels);
  // Bytes of one positive scale are in the order of what they stand for.
  const bool in_order = output.quant.channels() <= 1 && output.quant.scale_of(0) > 0.0F;
  if (output.dtype == DType::uint8 && in_order) {
    largest(output.as<uint8_t>().data(), channels, map.classes);
  } else if (output.dtype == DType::int8 && in_order) {
    largest(output.as<int8_t>().data(), channels, map.classes);
  } else {
    EDGETWIN_TRY_ASSIGN(const std::vector<float> values, real_values(output));
    largest(values.data(), channels, map.classes);
  }
  return map;
}

namespace {

// The class of a pixel in PASCAL VOC's colours.
uint8_t class_of_color(const uint8_t* pixel) {
  for (size_t c = 0; c < kPascalNames.size(); ++c) {
    const auto color = pascal_color(static_cast<uint8_t>(c));
    if (std::equal(color.begin(), color.end(), pixel)) return static_cast<uint8_t>(c);
  }
  return kNotJudged;
}

}  // namespace

Result<ClassMap> class_map_of_mask(const Tensor& picture) {
  EDGETWIN_TRY_ASSIGN(const MapSize size, map_size(picture));
  if (picture.dtype != DType::uint8 || (size.channels != 3 && size.channels != 1)) {
    return maps_error("a mask is a picture, not " + to_string(picture.shape));
  }
  const uint8_t* p = picture.as<uint8_t>().data();
  const int64_t pixels = size.height * size.width, step = size.channels;
  bool numbers = true;  // grey levels that are classes; in three channels greys are colours too
  for (int64_t i = 0; i < pixels * step && numbers && step == 3; ++i) {
    const uint8_t grey = p[i / step * step];
    numbers = p[i] == grey && (grey < kPascalNames.size() || grey == kNotJudged);
  }
  ClassMap map{size.height, size.width, {}};
  for (int64_t i = 0; i < pixels; ++i, p += step) {
    map.classes.push_back(numbers ? *p : class_of_color(p));
  }
  return map;
}

ClassMap resized(const ClassMap& map, int64_t height, int64_t width) {
  ClassMap result{height, width, {}};
  result.classes.reserve(static_cast<size_t>(height * width));
  for (int64_t y = 0; y < height; ++y) {
    const int64_t row = nearest_line(y, map.height, height) * map.width;
    for (int64_t x = 0; x < width; ++x) {
      result.classes.push_back(
          map.classes[static_cast<size_t>(row + nearest_line(x, map.width, width))]);
    }
  }
  return result;
}

double overlap(const ClassMap& map, const ClassMap& truth, uint8_t class_index) {
  int64_t both = 0, either = 0;
  for (size_t i = 0; i < std::min(map.classes.size(), truth.classes.size()); ++i) {
    if (truth.classes[i] == kNotJudged && class_index != kNotJudged) continue;
    const bool a = map.classes[i] == class_index, b = truth.classes[i] == class_index;
    both += a && b;
    either += a || b;
  }
  return either == 0 ? 1.0 : static_cast<double>(both) / static_cast<double>(either);
}

std::vector<int64_t> pixel_counts(const ClassMap& map) {
  std::vector<int64_t> counts(static_cast<size_t>(kMostClasses), 0);
  for (const uint8_t c : map.classes) ++counts[c];
  return counts;
}

Result<Tensor> draw_classes(const Tensor& picture, const ClassMap& map) {
  EDGETWIN_TRY_ASSIGN(const MapSize size, map_size(picture));
  if (picture.dtype != DType::uint8 || size.channels != 3 || map.height < 1 || map.width < 1) {
    return maps_error("classes can be drawn on pictures in colour, not on " +
                      to_string(picture.shape));
  }
  const ClassMap fitting = resized(map, size.height, size.width);
  Tensor result = picture;
  uint8_t* p = result.as<uint8_t>().data();
  for (const uint8_t c : fitting.classes) {
    const auto color = pascal_color(c);
    for (size_t i = 0; i < 3 && c != 0; ++i) p[i] = static_cast<uint8_t>((p[i] + color[i]) / 2);
    p += 3;
  }
  return result;
}

}  // namespace edgetwin::decode

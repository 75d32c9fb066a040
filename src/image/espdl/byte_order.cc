#include "image/espdl/byte_order.h"

#include <cstdlib>

namespace edgetwin::espdl_image {
namespace {

constexpr int64_t kFewest = 256;    // pairs of neighbours
constexpr int64_t kMost = 1 << 14;  // of these are looked at
constexpr int64_t kTimesRougher = 3;

// The distance of two pixels over the three fields of 16 bits, 5 + 6 + 5, in steps of 6 bits.
int64_t distance(int a, int b) {
  const auto field = [](int v, int shift, int bits) { return v >> shift & ((1 << bits) - 1); };
  return 2 * std::abs(field(a, 11, 5) - field(b, 11, 5)) +
         std::abs(field(a, 5, 6) - field(b, 5, 6)) + 2 * std::abs(field(a, 0, 5) - field(b, 0, 5));
}

}  // namespace

bool bytes_look_swapped(const Tensor& picture, PixelType type) {
  const bool little = type == PixelType::rgb565le || type == PixelType::bgr565le;
  const bool big = type == PixelType::rgb565be || type == PixelType::bgr565be;
  if (!little && !big) return false;
  const auto bytes = picture.as<uint8_t>();
  const int64_t columns = picture.shape[1], pairs = picture.shape[0] * (columns - 1);
  if (pairs < kFewest) return false;
  const int64_t step = pairs / kMost + 1;
  int64_t as_given = 0, other = 0;
  for (int64_t i = 0; i < pairs; i += step) {
    const auto at = static_cast<size_t>(i / (columns - 1) * columns + i % (columns - 1)) * 2;
    const auto value = [&](size_t from, bool low_first) {
      return low_first ? bytes[from] | bytes[from + 1] << 8 : bytes[from] << 8 | bytes[from + 1];
    };
    as_given += distance(value(at, little), value(at + 2, little));
    other += distance(value(at, !little), value(at + 2, !little));
  }
  return as_given > kTimesRougher * other;
}

}  // namespace edgetwin::espdl_image

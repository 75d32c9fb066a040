// Rows of pixels from one pixel type to another, in the arithmetic of ESP-DL's picture pipeline
// (docs/espdl-image.md, "Pixels").
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "base/result.h"
#include "image/espdl/params.h"

namespace edgetwin::espdl_image {

// Grey of r, g, b: (9798 r + 19235 g + 3735 b + 16384) >> 15.
constexpr uint8_t grey_of_levels(const uint8_t* rgb) {
  return static_cast<uint8_t>((9798 * rgb[0] + 19235 * rgb[1] + 3735 * rgb[2] + 16384) >> 15);
}

// h, s, v of r, g, b; h from 0 to 180.
std::array<uint8_t, 3> hsv_of_levels(const uint8_t* rgb);

// Of quantized targets: the integer of each byte, for each channel of the target.
using QuantTable = std::vector<std::array<int16_t, 256>>;

// round(((byte - mean) * (1 / std)) * 2^-exponent), every operation in single precision, limited to
// 8 or 16 bits. `mean` and `std` have one number per channel. Error: IMG-PARAM-01 for a std
// without an inverse.
Result<QuantTable> quant_table(std::span<const float> mean, std::span<const float> std,
                               int exponent, bool sixteen_bits, numerics::Rounding rounding);

// A source's pixels as its space's numbers: 1 for grey, 3 for colour (r, g, b) and hsv, 2 for yuv
// that stays yuv. Which space the target needs decides: yuv becomes colour, or its own level.
class Conversion {
 public:
  // Checks that the runtime converts `source` into `target`. Error: IMG-CHIP-01.
  static Result<Conversion> make(PixelType source, PixelType target);

  // Of quantized targets.
  void set_table(QuantTable table) { table_ = std::move(table); }
  // Of the target hsv_mask; both included, hue may wrap.
  void set_mask(std::array<uint8_t, 3> low, std::array<uint8_t, 3> high) {
    mask_low_ = low, mask_high_ = high;
  }

  // The source's pixels with these indices (row * width + column) as bytes, int8 or int16 of the
  // target. `into` has room for all of them.
  void row(std::span<const uint8_t> source, std::span<const int32_t> pixels,
           std::span<std::byte> into);
  // One pixel of the target from r, g, b, or from one level where the source is grey.
  void background(std::span<const uint8_t> levels, std::span<std::byte> into);

 private:
  enum class Levels : uint8_t { grey, colour, hsv, pair };
  static int count_of(Levels levels);
  void load(std::span<const uint8_t> source, std::span<const int32_t> pixels);
  void store(Levels from, size_t count, std::span<std::byte> into) const;
  void store_colour(Levels from, size_t count, std::span<std::byte> into) const;
  bool in_mask(const uint8_t* hsv) const;

  PixelType source_ = PixelType::rgb888, target_ = PixelType::rgb888;
  Levels levels_ = Levels::colour;
  QuantTable table_;
  std::array<uint8_t, 3> mask_low_{}, mask_high_{};
  std::vector<uint8_t> buffer_;
};

}  // namespace edgetwin::espdl_image

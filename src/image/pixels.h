// From the pixels of a picture to the numbers of a network's input: grey levels, neighbours, scale.
// Each rule that is in use has a name here; the pictures themselves are resized by image/resize.h.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "tensor/tensor.h"

namespace edgetwin {

// RGB as one level. Both rules are in use; they differ by one for some colours.
constexpr uint8_t grey_per_mille(const uint8_t* rgb) {  // inputs of networks, robotics
  return static_cast<uint8_t>((299 * rgb[0] + 587 * rgb[1] + 114 * rgb[2] + 500) / 1000);
}
constexpr uint8_t grey_pillow(const uint8_t* rgb) {  // Pillow's convert("L")
  return static_cast<uint8_t>((19595 * rgb[0] + 38470 * rgb[1] + 7471 * rgb[2] + 32768) >> 16);
}

// The row or column that line `i` of `to` lines takes from `from` lines, by nearest neighbour.
constexpr int64_t nearest_line(int64_t i, int64_t from, int64_t to) { return i * from / to; }

// (pixel - mean) / std, in single precision.
struct PictureScale {
  std::vector<float> mean, std;  // none, one, or one per channel; none: 0 and 255

  // Have mean and std at most one number, or one for each of `channels`?
  bool fits(int64_t channels) const;
  // Precondition: fits, and `channel` is one of these channels.
  float apply(float pixel, int64_t channel) const;
};

// A picture seen with 1 or 3 channels and in another size. A grey picture has its level in all
// channels; RGB becomes one channel by grey_per_mille.
class PixelView {
 public:
  // `picture` is uint8 of height x width x 1 or 3 and must outlive the view.
  PixelView(const Tensor& picture, int64_t channels);

  // By nearest neighbour, as pixel (y, x) of `height` x `width`.
  uint8_t nearest(int64_t y, int64_t x, int64_t c, int64_t height, int64_t width) const {
    return at(nearest_line(y, height_, height), nearest_line(x, width_, width), c);
  }
  // Bilinear with half-pixel centres that are limited to the picture; not rounded. Unlike
  // resize_half_pixel it mixes columns before rows.
  float half_pixel(int64_t y, int64_t x, int64_t c, int64_t height, int64_t width) const;

 private:
  uint8_t at(int64_t y, int64_t x, int64_t c) const {
    const uint8_t* p = data_.data() + (y * width_ + x) * own_;
    if (own_ == 1) return p[0];
    return channels_ == 1 ? grey_per_mille(p) : p[c];
  }

  std::span<const uint8_t> data_;
  int64_t height_, width_, own_, channels_;
};

}  // namespace edgetwin

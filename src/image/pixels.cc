#include "image/pixels.h"

#include <algorithm>

namespace edgetwin {
namespace {

float number_of(const std::vector<float>& list, int64_t channel, float otherwise) {
  if (list.empty()) return otherwise;
  return list[list.size() == 1 ? 0 : static_cast<size_t>(channel)];
}

// The two lines that a line between them takes, and the share of the second.
struct Neighbours {
  Neighbours(int64_t out, int64_t in_size, int64_t out_size) {
    const float scale = static_cast<float>(in_size) / static_cast<float>(out_size);
    const float at = std::clamp((static_cast<float>(out) + 0.5F) * scale - 0.5F, 0.0F,
                                static_cast<float>(in_size - 1));
    first = static_cast<int64_t>(at);
    second = std::min(first + 1, in_size - 1);
    share = at - static_cast<float>(first);
  }
  int64_t first, second;
  float share;
};

}  // namespace

bool PictureScale::fits(int64_t channels) const {
  const auto fit = [channels](const std::vector<float>& list) {
    return list.size() <= 1 || static_cast<int64_t>(list.size()) == channels;
  };
  return fit(mean) && fit(std);
}

float PictureScale::apply(float pixel, int64_t channel) const {
  return (pixel - number_of(mean, channel, 0.0F)) / number_of(std, channel, 255.0F);
}

PixelView::PixelView(const Tensor& picture, int64_t channels)
    : data_(picture.as<uint8_t>()),
      height_(picture.shape[0]),
      width_(picture.shape[1]),
      own_(picture.shape[2]),
      channels_(channels) {}

float PixelView::half_pixel(int64_t y, int64_t x, int64_t c, int64_t height, int64_t width) const {
  const Neighbours v(y, height_, height);
  const Neighbours h(x, width_, width);
  const auto mixed = [&](int64_t row) {
    return at(row, h.first, c) * (1 - h.share) + at(row, h.second, c) * h.share;
  };
  return mixed(v.first) * (1 - v.share) + mixed(v.second) * v.share;
}

}  // namespace edgetwin

// Pictures of the simulation: 8-bit elements, pixel by pixel (rows, columns, channels), or the
// 32-bit results of an output layer.
#pragma once

#include <cstdint>
#include <vector>

#include "base/bytes.h"
#include "tensor/tensor.h"

namespace edgetwin::max78 {

template <class T>
using Elements = std::vector<T, AlignedAllocator<T>>;

struct Picture {
  int c = 0, h = 0, w = 0;
  Elements<int8_t> data;
  Elements<int32_t> wide;  // instead of `data`

  int64_t pixels() const { return int64_t{h} * w; }
  int64_t elements() const { return pixels() * c; }
};

// Between (rows, columns, channels) and (channels, rows, columns).
template <class T>
void to_planes(const T* from, T* to, int64_t pixels, int64_t channels) {
  // Blocks that stay in the first cache.
  constexpr int64_t kBlock = 64;
  for (int64_t p0 = 0; p0 < pixels; p0 += kBlock) {
    const int64_t p1 = p0 + kBlock < pixels ? p0 + kBlock : pixels;
    for (int64_t c = 0; c < channels; ++c) {
      for (int64_t p = p0; p < p1; ++p) to[c * pixels + p] = from[p * channels + c];
    }
  }
}
template <class T>
void to_pixels(const T* from, T* to, int64_t pixels, int64_t channels) {
  to_planes(from, to, channels, pixels);
}

// From int8 of (channels, rows, columns), or fewer dimensions.
Picture picture_of(const Tensor& sample);
// `count` channels from `first` on.
Picture channels_of(const Picture& in, int first, int count);
// Every `step`th column from `first` on.
Picture columns_of(const Picture& in, int first, int step);
// Side by side where sizes agree; else of the first one's channels, pixel after pixel.
Picture joined(const std::vector<const Picture*>& parts);
// The same elements in the order (channels, rows, columns) as a picture of another size, which
// divides their number.
Picture viewed(const Picture& in, int h, int w);
// All elements in that order as channels of one pixel.
Picture flattened(const Picture& in);
// (channels, rows, columns), int8 or int32.
Tensor to_tensor(const Picture& picture);

}  // namespace edgetwin::max78

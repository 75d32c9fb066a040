// The convolution layers of MobileNet v1 for a width multiplier and a resolution.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "tensor/window.h"

namespace edgetwin::bench {

struct ConvLayer {
  std::string name;
  Window2D window;
  bool depthwise = false;

  double macs() const {
    const Window2D& w = window;
    return 1.0 * w.batch * w.out_h * w.out_w * w.out_c * w.kernel_h * w.kernel_w *
           (depthwise ? 1 : w.in_c);
  }
  std::size_t in_size() const {
    const Window2D& w = window;
    return static_cast<std::size_t>(w.batch * w.in_h * w.in_w * w.in_c);
  }
  std::size_t out_size() const {
    const Window2D& w = window;
    return static_cast<std::size_t>(w.batch * w.out_h * w.out_w * w.out_c);
  }
  std::size_t weights_size() const {
    const Window2D& w = window;
    return static_cast<std::size_t>(w.kernel_h * w.kernel_w * w.out_c * (depthwise ? 1 : w.in_c));
  }
};

// Both sides; the odd element goes after the picture.
struct SamePadding {
  int before, after;
  SamePadding(int in, int out, int kernel, int stride) {
    const int total = std::max(0, (out - 1) * stride + kernel - in);
    before = total / 2;
    after = total - before;
  }
};

inline ConvLayer conv_layer(const char* kind, int size, int in_c, int out_c, int kernel,
                            int stride) {
  ConvLayer layer;
  Window2D& w = layer.window;
  w.in_h = w.in_w = size;
  w.out_h = w.out_w = (size + stride - 1) / stride;
  w.in_c = in_c;
  w.out_c = out_c;
  w.kernel_h = w.kernel_w = kernel;
  w.stride_h = w.stride_w = stride;
  w.pad_top = w.pad_left = SamePadding(size, w.out_w, kernel, stride).before;
  layer.name = std::string(kind) + " " + std::to_string(size) + "x" + std::to_string(in_c) +
               " -> " + std::to_string(w.out_w) + "x" + std::to_string(out_c);
  layer.depthwise = kind[0] == 'd';
  return layer;
}

// `quarters` is the width multiplier in quarters.
inline std::vector<ConvLayer> mobilenet_v1(int quarters, int resolution) {
  struct Block {
    int stride, channels;
  };
  constexpr Block blocks[] = {{1, 64},  {2, 128}, {1, 128}, {2, 256}, {1, 256},  {2, 512}, {1, 512},
                              {1, 512}, {1, 512}, {1, 512}, {1, 512}, {2, 1024}, {1, 1024}};
  const auto scaled = [&](int channels) { return std::max(8, channels * quarters / 4); };
  std::vector<ConvLayer> layers;
  int size = (resolution + 1) / 2, channels = scaled(32);
  layers.push_back(conv_layer("conv", resolution, 3, channels, 3, 2));
  for (const Block& block : blocks) {
    layers.push_back(conv_layer("dw", size, channels, channels, 3, block.stride));
    size = (size + block.stride - 1) / block.stride;
    layers.push_back(conv_layer("pw", size, channels, scaled(block.channels), 1, 1));
    channels = scaled(block.channels);
  }
  return layers;
}

struct Network {
  const char* name;
  int quarters, resolution;
};
constexpr Network kNetworks[] = {{"0.25/128", 1, 128}, {"0.5/160", 2, 160}, {"1.0/224", 4, 224}};

}  // namespace edgetwin::bench

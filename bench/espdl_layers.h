// The convolutions of two networks that Espressif publishes for its chips: MobileNetV2 (224 pixels,
// width 1) and YOLO26n (512 pixels), whose last layers have 16 bits.
#pragma once

#include <vector>

#include "mobilenet.h"

namespace edgetwin::bench {

struct EspdlLayer {
  ConvLayer layer;
  bool wide = false;  // 16 bits
};

class LayerList {
 public:
  // 1x1 and square windows; depthwise where `kind` is "dw".
  void add(const char* kind, int size, int in_c, int out_c, int kernel = 1, int stride = 1) {
    layers.push_back({conv_layer(kind, size, in_c, out_c, kernel, stride), wide});
  }
  std::vector<EspdlLayer> layers;
  bool wide = false;
};

inline std::vector<EspdlLayer> mobilenet_v2() {
  struct Stage {
    int expansion, channels, repeats, stride;
  };
  constexpr Stage stages[] = {{1, 16, 1, 1}, {6, 24, 2, 2},  {6, 32, 3, 2}, {6, 64, 4, 2},
                              {6, 96, 3, 1}, {6, 160, 3, 2}, {6, 320, 1, 1}};
  LayerList list;
  list.add("conv", 224, 3, 32, 3, 2);
  int size = 112, channels = 32;
  for (const Stage& stage : stages) {
    for (int i = 0; i < stage.repeats; ++i) {
      const int stride = i == 0 ? stage.stride : 1, inner = channels * stage.expansion;
      if (stage.expansion != 1) list.add("pw", size, channels, inner);
      list.add("dw", size, inner, inner, 3, stride);
      size /= stride;
      list.add("pw", size, inner, stage.channels);
      channels = stage.channels;
    }
  }
  list.add("pw", size, channels, 1280);
  list.add("pw", 1, 1280, 1000);
  return list.layers;
}

// Two halves of `channels`, of which one passes two pairs of 3x3 layers.
inline void add_nested_block(LayerList& list, int size, int channels) {
  const int half = channels / 2;
  list.add("pw", size, channels, half);
  list.add("pw", size, channels, half);
  for (int i = 0; i < 4; ++i) list.add("conv", size, half, half, 3);
  list.add("pw", size, channels, channels);
}

inline void add_attention(LayerList& list, int size, int channels) {
  list.add("pw", size, channels, 2 * channels);
  list.add("dw", size, channels, channels, 3);
  list.add("pw", size, channels, channels);
  list.add("pw", size, channels, 2 * channels);
  list.add("pw", size, 2 * channels, channels);
}

inline void add_backbone(LayerList& list) {
  list.add("conv", 512, 3, 16, 3, 2);
  list.add("conv", 256, 16, 32, 3, 2);
  list.add("pw", 128, 32, 32);
  list.add("conv", 128, 16, 8, 3);
  list.add("conv", 128, 8, 16, 3);
  list.add("pw", 128, 48, 64);
  list.add("conv", 128, 64, 64, 3, 2);
  list.add("pw", 64, 64, 64);
  list.add("conv", 64, 32, 16, 3);
  list.add("conv", 64, 16, 32, 3);
  list.add("pw", 64, 96, 128);
  list.add("conv", 64, 128, 128, 3, 2);
  list.add("pw", 32, 128, 128);
  add_nested_block(list, 32, 64);
  list.add("pw", 32, 192, 128);
  list.add("conv", 32, 128, 256, 3, 2);
  list.add("pw", 16, 256, 256);
  add_nested_block(list, 16, 128);
  list.add("pw", 16, 384, 256);
  list.add("pw", 16, 256, 128);
  list.add("pw", 16, 512, 256);
  list.add("pw", 16, 256, 256);
  add_attention(list, 16, 128);
  list.add("pw", 16, 256, 256);
}

inline void add_neck(LayerList& list) {
  list.add("pw", 32, 384, 128);
  add_nested_block(list, 32, 64);
  list.add("pw", 32, 192, 128);
  list.add("pw", 64, 256, 64);
  add_nested_block(list, 64, 32);
  list.add("conv", 64, 64, 64, 3, 2);
  list.add("pw", 32, 192, 128);
  add_nested_block(list, 32, 64);
  list.add("conv", 32, 128, 128, 3, 2);
  list.add("pw", 16, 384, 256);
  list.add("conv", 16, 128, 64, 3);
  list.add("conv", 16, 64, 128, 3);
  add_attention(list, 16, 128);
}

inline std::vector<EspdlLayer> yolo26n() {
  LayerList list;
  add_backbone(list);
  add_neck(list);
  list.wide = true;
  for (int size = 64, channels = 64; size >= 16; size /= 2, channels *= 2) {
    list.add("pw", size, size == 64 ? 96 : size == 32 ? 192 : 384, channels);
    list.add("conv", size, channels, 16, 3);
    list.add("conv", size, 16, 16, 3);
    list.add("pw", size, 16, 4);
    list.add("dw", size, channels, channels, 3);
    list.add("pw", size, channels, 80);
    list.add("dw", size, 80, 80, 3);
    list.add("pw", size, 80, 80);
    list.add("pw", size, 80, 80);
  }
  return list.layers;
}

}  // namespace edgetwin::bench

// The network as a list of layers, shared by training, quantization, reference and file writer.
// Layer i reads tensor `input` (and `second_input`) and writes tensor i + 1; tensor 0 is the
// picture. One picture at a time, height x width x channels.
#pragma once

#include <string>
#include <vector>

namespace edgetwin::digits {

enum class Kind {
  kConv,
  kDepthwise,
  kAdd,
  kMaxPool,
  kAveragePool,
  kReshape,
  kFullyConnected,
  kSoftmax
};

enum class Activation { kNone, kRelu, kRelu6 };

struct Shape {
  int h = 0;
  int w = 0;
  int c = 0;
  int size() const { return h * w * c; }
};

struct Layer {
  Kind kind = Kind::kConv;
  std::string name;  // also the name of the tensor it writes
  int input = 0;
  int second_input = -1;  // kAdd only
  int kernel = 1;         // square windows; padding is SAME everywhere
  int stride = 1;
  Activation activation = Activation::kNone;
  Shape in;
  Shape out;
  int pad_before = 0;  // rows above and columns to the left; the odd one goes below and right

  bool has_weights() const {
    return kind == Kind::kConv || kind == Kind::kDepthwise || kind == Kind::kFullyConnected;
  }
  // Weights per output channel.
  int fan_in() const { return kernel * kernel * (kind == Kind::kDepthwise ? 1 : in.c); }
};

std::vector<Layer> digit_topology();

}  // namespace edgetwin::digits

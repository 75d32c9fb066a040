// The digit network: separable convolutions with one residual addition, both kinds of pooling and a
// dense end, so that it has the operators of the usual small networks for accelerators.

#include "topology.h"

#include <algorithm>
#include <cstddef>
#include <utility>

#include "picture.h"

namespace edgetwin::digits {
namespace {

class Builder {
 public:
  Builder() { shapes_.push_back({kSide, kSide, 1}); }

  // Appends a layer that reads the last tensor; returns the index of the tensor it writes.
  int add(Kind kind, std::string name, int channels, int kernel, int stride, Activation act) {
    Layer layer;
    layer.kind = kind;
    layer.name = std::move(name);
    layer.input = static_cast<int>(shapes_.size()) - 1;
    layer.kernel = kernel;
    layer.stride = stride;
    layer.activation = act;
    layer.in = shapes_.back();
    place_window(layer);
    layer.out.c = channels;
    return append(layer);
  }

  int add_residual(std::string name, int second, Activation act) {
    Layer layer;
    layer.kind = Kind::kAdd;
    layer.name = std::move(name);
    layer.input = static_cast<int>(shapes_.size()) - 1;
    layer.second_input = second;
    layer.activation = act;
    layer.in = layer.out = shapes_.back();
    return append(layer);
  }

  int flatten(std::string name) {
    Layer layer;
    layer.kind = Kind::kReshape;
    layer.name = std::move(name);
    layer.input = static_cast<int>(shapes_.size()) - 1;
    layer.in = shapes_.back();
    layer.out = {1, 1, layer.in.size()};
    return append(layer);
  }

  std::vector<Layer> take() { return std::move(layers_); }

 private:
  static void place_window(Layer& layer) {
    layer.out.h = (layer.in.h + layer.stride - 1) / layer.stride;
    layer.out.w = (layer.in.w + layer.stride - 1) / layer.stride;
    // Pictures are square: one padding for both axes.
    const int total = (layer.out.h - 1) * layer.stride + layer.kernel - layer.in.h;
    layer.pad_before = std::max(0, total) / 2;
  }

  int append(Layer layer) {
    shapes_.push_back(layer.out);
    layers_.push_back(std::move(layer));
    return static_cast<int>(shapes_.size()) - 1;
  }

  std::vector<Shape> shapes_;
  std::vector<Layer> layers_;
};

}  // namespace

std::vector<Layer> digit_topology() {
  Builder net;
  net.add(Kind::kConv, "conv1", 16, 3, 2, Activation::kRelu6);
  net.add(Kind::kDepthwise, "depthwise1", 16, 3, 1, Activation::kRelu6);
  net.add(Kind::kConv, "pointwise1", 32, 1, 1, Activation::kRelu6);
  net.add(Kind::kDepthwise, "depthwise2", 32, 3, 2, Activation::kRelu6);
  const int trunk = net.add(Kind::kConv, "pointwise2", 48, 1, 1, Activation::kRelu6);
  net.add(Kind::kDepthwise, "depthwise3", 48, 3, 1, Activation::kRelu6);
  net.add(Kind::kConv, "pointwise3", 48, 1, 1, Activation::kNone);
  net.add_residual("residual", trunk, Activation::kRelu);
  net.add(Kind::kMaxPool, "max_pool", 48, 2, 2, Activation::kNone);
  net.add(Kind::kAveragePool, "average_pool", 48, 2, 2, Activation::kNone);
  net.flatten("flatten");
  net.add(Kind::kFullyConnected, "logits", kClasses, 1, 1, Activation::kNone);
  net.add(Kind::kSoftmax, "probabilities", kClasses, 1, 1, Activation::kNone);
  return net.take();
}

}  // namespace edgetwin::digits

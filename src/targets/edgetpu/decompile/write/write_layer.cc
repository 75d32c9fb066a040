#include "targets/edgetpu/decompile/write/write_layer.h"

#include <algorithm>
#include <utility>

#include "targets/edgetpu/decompile/write/write_lstm.h"
#include "targets/edgetpu/decompile/write/write_weighted.h"

namespace edgetwin::edgetpu {
namespace {

ValueId add_factor(GraphRewrite& r, size_t l, const DecompiledLayer& layer) {
  Bytes bytes = layer.constant;
  if (r.type == DType::int8) flip_signs(bytes);
  const Shape shape = bytes.size() == 1 ? Shape{1} : picture(layer.in);
  return r.add_constant(r.label(l, "factor"), r.type, shape,
                        r.quant(r.op.scales.weights[l].front(), layer.numbers.weight_zero_point),
                        std::move(bytes));
}

// The number as a constant with the other operand's scale; of one that is no byte the scale is as
// many times larger.
ValueId write_number(GraphRewrite& r, size_t l, const DecompiledLayer& layer, ValueId in,
                     const Quant& q) {
  constexpr int kMost = 255;
  const int all = layer.content.bias.front();
  const int number = std::clamp(all, -kMost, kMost);
  const float times = number == 0 ? 1.0F : static_cast<float>(all) / static_cast<float>(number);
  const int flip = r.type == DType::int8 ? kFlip : 0;
  const ValueId constant = r.add_constant(
      r.label(l, "number"), r.type, Shape{1},
      r.quant(r.graph.value(in).quant.scale_of(0) * times, std::max(0, -number)),
      Bytes(1, static_cast<std::byte>(static_cast<uint8_t>(std::max(0, number) - flip))));
  return write_plain(r, l, OpKind::add, BinaryAttrs{r.op.scales.activations[l], true},
                     {in, constant}, q);
}

// A rescaling that adds a number to each channel: a window of one with the weight 1.
ValueId write_sum(GraphRewrite& r, size_t l, const DecompiledLayer& layer, ValueId in,
                  const Quant& q) {
  const int zero = r.type == DType::int8 ? kFlip : 0;
  const auto channels = static_cast<size_t>(layer.in.c);
  Bytes ones(channels, std::byte{1});
  const float weight = r.op.scales.weights[l].front();
  const ValueId filter = r.add_constant(r.label(l, "filter"), r.type, Shape{1, 1, 1, layer.in.c},
                                        r.quant(weight, zero), ones);
  const ValueId bias = add_bias(r, l, layer, in);
  Conv2DAttrs a;
  a.stride_h = a.stride_w = 1;
  a.depth_multiplier = 1;
  a.activation = r.op.scales.activations[l];
  return write_plain(r, l, OpKind::depthwise_conv_2d, a, {in, filter, bias}, q);
}

ValueId write_pool(GraphRewrite& r, size_t l, const DecompiledLayer& layer,
                   const std::vector<ValueId>& in, const Quant& q) {
  PoolAttrs a;
  a.padding.kind =
      layer.pad == DecompiledLayer::Pad::same ? Padding::Kind::same : Padding::Kind::valid;
  a.stride_h = layer.stride_h;
  a.stride_w = layer.stride_w;
  a.filter_h = layer.kernel_h;
  a.filter_w = layer.kernel_w;
  const bool max = layer.type == LayerType::max_pool;
  return write_plain(r, l, max ? OpKind::max_pool_2d : OpKind::average_pool_2d, a, {in[0]}, q);
}

ValueId write_quantize(GraphRewrite& r, size_t l, const DecompiledLayer& layer, ValueId in,
                       const Quant& q) {
  if (adds_number(layer)) return write_number(r, l, layer, in, q);
  if (adds(layer)) return write_sum(r, l, layer, in, q);
  // Where real 0 is the least byte RELU cuts nothing more.
  const Activation a = r.op.scales.activations[l];
  const bool cuts =
      a == Activation::relu && q.zero_point_of(0) != (r.type == DType::int8 ? -kFlip : 0);
  const OpKind kind = a == Activation::relu6          ? OpKind::relu6
                      : a == Activation::relu_n1_to_1 ? OpKind::relu_n1_to_1
                      : cuts                          ? OpKind::relu
                                                      : OpKind::quantize;
  return write_plain(r, l, kind, NoAttrs{}, {in}, q);
}

// What has a weight below zero is taken away.
ValueId write_sum_of_two(GraphRewrite& r, size_t l, const DecompiledLayer& layer,
                         std::vector<ValueId> in, const Quant& q) {
  const bool minus = layer.add_weight[0] < 0 || layer.add_weight[1] < 0;
  if (layer.add_weight[0] < 0 && layer.add_weight[1] < 0) return kAbsent;
  if (layer.add_weight[0] < 0) std::swap(in[0], in[1]);
  return write_plain(r, l, minus ? OpKind::sub : OpKind::add,
                     BinaryAttrs{r.op.scales.activations[l], true}, in, q);
}

}  // namespace

ValueId write_layer(GraphRewrite& r, size_t l, const DecompiledLayer& layer,
                    std::vector<ValueId> in, const Quant& q) {
  if (layer.type == LayerType::reshape) return r.reshape(in[0], picture(layer.out), r.label(l));
  const Activation activation = r.op.scales.activations[l];
  switch (layer.type) {
    case LayerType::conv:
    case LayerType::depthwise:
    case LayerType::dense:
      return write_weighted(r, l, layer, in[0], q);
    case LayerType::add:
      return write_sum_of_two(r, l, layer, std::move(in), q);
    case LayerType::maximum:
      return write_plain(r, l, OpKind::maximum, NoAttrs{}, in, q);
    case LayerType::minimum:
      return write_plain(r, l, OpKind::minimum, NoAttrs{}, in, q);
    case LayerType::mul:
      if (!layer.constant.empty()) in.push_back(add_factor(r, l, layer));
      return write_plain(r, l, OpKind::mul, BinaryAttrs{activation, true}, in, q);
    case LayerType::average_pool:
    case LayerType::max_pool:
      return write_pool(r, l, layer, in, q);
    case LayerType::resize: {
      const ValueId size = r.add_integers(r.label(l, "size"), {layer.out.h, layer.out.w}, Shape{2});
      return write_plain(r, l, OpKind::resize_bilinear, ResizeAttrs{layer.corners, layer.middles},
                         {in[0], size}, q);
    }
    case LayerType::softmax:
      return write_plain(r, l, OpKind::softmax, SoftmaxAttrs{1.0F, -1}, {in[0]}, q);
    case LayerType::logistic:
      return write_plain(r, l, OpKind::logistic, NoAttrs{}, {in[0]}, q);
    case LayerType::tanh:
      return write_plain(r, l, OpKind::tanh, NoAttrs{}, {in[0]}, q);
    case LayerType::lstm:
      return write_lstm(r, l, layer, in[0], q);
    case LayerType::quantize:
      return write_quantize(r, l, layer, in[0], q);
    default:
      return kAbsent;
  }
}

}  // namespace edgetwin::edgetpu

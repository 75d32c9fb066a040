#include "targets/edgetpu/decompile/write/write_weighted.h"

namespace edgetwin::edgetpu {
namespace {

// Padding that is neither of the two kinds stands in an operator of its own.
ValueId padded(GraphRewrite& r, size_t l, const DecompiledLayer& layer, ValueId in) {
  if (layer.pad != DecompiledLayer::Pad::given) return in;
  const Value v = r.graph.value(in);
  const Shape shape{1, v.shape[1] + layer.pad_top + layer.pad_bottom,
                    v.shape[2] + layer.pad_left + layer.pad_right, v.shape[3]};
  const ValueId to = r.add_value(r.label(l, "padded"), v.dtype, shape, v.quant);
  const ValueId sizes = r.add_integers(
      r.label(l, "padding"),
      {0, 0, layer.pad_top, layer.pad_bottom, layer.pad_left, layer.pad_right, 0, 0}, Shape{4, 2});
  r.add_op(OpKind::pad, NoAttrs{}, {in, sizes}, to);
  return to;
}

// Channels of a depthwise filter stand innermost in the file.
Bytes filter_bytes(const DecompiledLayer& layer) {
  const BlockShape& s = layer.shape;
  Bytes bytes = layer.content.weights;
  if (layer.type != LayerType::depthwise) return bytes;
  const auto positions = static_cast<size_t>(s.kernel_h * s.kernel_w);
  const auto outs = static_cast<size_t>(s.out);
  for (size_t o = 0; o < outs; ++o) {
    for (size_t p = 0; p < positions; ++p) {
      bytes[p * outs + o] = layer.content.weights[o * positions + p];
    }
  }
  return bytes;
}

ValueId add_filter(GraphRewrite& r, size_t l, const DecompiledLayer& layer) {
  const BlockShape& s = layer.shape;
  const bool depthwise = layer.type == LayerType::depthwise;
  Bytes bytes = filter_bytes(layer);
  if (r.type == DType::int8) flip_signs(bytes);
  Quant q;
  q.scheme = Quant::Scheme::affine;
  q.scale = r.op.scales.weights[l];
  for (size_t c = 0; c < q.scale.size(); ++c) {
    const auto& zeros = layer.content.zero_points;
    q.zero_point.push_back(zeros[zeros.size() > 1 ? c : 0] - (r.type == DType::int8 ? kFlip : 0));
  }
  q.axis = depthwise ? 3 : 0;
  const Shape shape = depthwise ? Shape{1, s.kernel_h, s.kernel_w, s.out}
                                : Shape{s.out, s.kernel_h, s.kernel_w, s.in};
  return r.add_constant(r.label(l, "filter"), r.type, shape, q, std::move(bytes));
}

}  // namespace

ValueId write_weighted(GraphRewrite& r, size_t l, const DecompiledLayer& layer, ValueId in,
                       const Quant& q) {
  if (layer.flat) {
    in = r.reshape(in, Shape{1, 1, 1, int64_t{layer.in.h} * layer.in.w * layer.in.c},
                   r.label(l, "flat"));
  }
  in = padded(r, l, layer, in);
  const ValueId filter = add_filter(r, l, layer);
  std::vector<ValueId> inputs{in, filter};
  if (layer.shape.has_bias) inputs.push_back(add_bias(r, l, layer, in));
  Conv2DAttrs a;
  a.padding.kind =
      layer.pad == DecompiledLayer::Pad::same ? Padding::Kind::same : Padding::Kind::valid;
  a.stride_h = layer.stride_h;
  a.stride_w = layer.stride_w;
  a.dilation_h = a.dilation_w = layer.dilation;
  a.activation = r.op.scales.activations[l];
  const bool depthwise = layer.type == LayerType::depthwise;
  a.depth_multiplier = depthwise ? 1 : 0;
  return write_plain(r, l, depthwise ? OpKind::depthwise_conv_2d : OpKind::conv_2d, a, inputs, q);
}

ValueId add_bias(GraphRewrite& r, size_t l, const DecompiledLayer& layer, ValueId in) {
  const auto& numbers = layer.content.bias;
  const float scale = r.graph.value(in).quant.scale_of(0);
  Quant q;
  q.scheme = Quant::Scheme::affine;
  for (const float w : r.op.scales.weights[l]) {
    q.scale.push_back(scale * w);
    q.zero_point.push_back(0);
  }
  const ValueId v =
      r.add_integers(r.label(l, "bias"), numbers, Shape{static_cast<int64_t>(numbers.size())});
  r.graph.value(v).quant = q;
  return v;
}

}  // namespace edgetwin::edgetpu

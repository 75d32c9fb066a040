// Networks of the families that people run on the Edge TPU, with their real shapes and weights that
// nobody chose.
#pragma once

#include "unit/targets/edgetpu/compile/random_networks.h"

namespace edgetwin::edgetpu {

class FamilyNetwork : public RandomNetwork {
 public:
  explicit FamilyNetwork(Trained trained, uint32_t seed = 7) : RandomNetwork(seed, trained) {}

  struct Filter {
    int kernel_h = 1, kernel_w = 1, stride = 1;
    bool same = true;
  };
  ValueId conv(ValueId from, int channels, const Filter& f, bool relu = true) {
    return windowed(from, channels, f, relu, false);
  }
  ValueId conv(ValueId from, int channels, int kernel = 1, int stride = 1, bool relu = true) {
    return windowed(from, channels, {kernel, kernel, stride}, relu, false);
  }
  ValueId deep(ValueId from, int kernel, int stride, bool relu = true) {
    return windowed(from, 0, {kernel, kernel, stride}, relu, true);
  }
  // Several outputs for each channel.
  ValueId multiplied_deep(ValueId from, int times, const Filter& f) {
    return windowed(from, times * static_cast<int>(shape(from)[3]), f, true, true);
  }
  ValueId pool(OpKind kind, ValueId from, const Filter& f) {
    const Shape in = shape(from);
    const ValueId to =
        value({1, places(in[1], f.kernel_h, f), places(in[2], f.kernel_w, f), in[3]}, 0.015F);
    graph_.value(to).quant = graph_.value(from).quant;
    PoolAttrs a;
    a.padding.kind = f.same ? Padding::Kind::same : Padding::Kind::valid;
    a.filter_h = f.kernel_h, a.filter_w = f.kernel_w;
    a.stride_h = a.stride_w = f.stride;
    add(kind, a, {from}, to);
    return to;
  }
  ValueId greatest_of(ValueId from, int kernel, int stride, bool same = true) {
    return pool(OpKind::max_pool_2d, from, {kernel, kernel, stride, same});
  }
  ValueId average_of(ValueId from, int kernel, int stride, bool same = true) {
    return pool(OpKind::average_pool_2d, from, {kernel, kernel, stride, same});
  }
  // Over rows and columns, or one of them.
  ValueId mean(ValueId from, const std::vector<int32_t>& axes, bool keep = false,
               OpKind kind = OpKind::mean) {
    const Shape in = shape(from);
    std::vector<int64_t> sizes;
    for (int k = 0; k < in.rank(); ++k) {
      const bool reduced = std::ranges::find(axes, k) != axes.end();
      if (!reduced) sizes.push_back(in[k]);
      if (reduced && keep) sizes.push_back(1);
    }
    const ValueId to = value(Shape(sizes), kind == OpKind::mean ? 0.015F : 0.1F);
    ReduceAttrs a;
    a.keep_dims = keep;
    add(kind, a, {from, numbers(axes)}, to);
    return to;
  }
  ValueId quantized(ValueId from) {
    const ValueId to = value(shape(from), 0.02F);
    add(OpKind::quantize, NoAttrs{}, {from}, to);
    return to;
  }
  ValueId relu6(ValueId from) {
    const ValueId to = value(shape(from), 6.0F / 255);
    add(OpKind::relu6, NoAttrs{}, {from}, to);
    return to;
  }
  // Of Keras: twice the size, and channels of a number of their own.
  ValueId transposed_conv(ValueId from, int channels, int kernel, int stride, bool same = true) {
    const Shape in = shape(from);
    const auto size = [&](int64_t n) {
      return static_cast<int32_t>(same ? n * stride : (n - 1) * stride + kernel);
    };
    const Shape out = {1, size(in[1]), size(in[2]), channels};
    const ValueId to = value(out, 0.02F * 30.0F);
    TransposeConvAttrs a;
    a.padding.kind = same ? Padding::Kind::same : Padding::Kind::valid;
    a.stride_h = a.stride_w = stride;
    const ValueId sizes = numbers({1, size(in[1]), size(in[2]), channels});
    const ValueId filter = weights({channels, kernel, kernel, in[3]}, 0.01F, 0);
    add(OpKind::transpose_conv, a, {sizes, filter, from, bias(channels)}, to);
    return to;
  }
  ValueId least_or_greatest(OpKind kind, ValueId x, ValueId y) {
    const ValueId to = value(shape(x), 1.0F);
    graph_.value(to).quant = graph_.value(y).quant = graph_.value(x).quant;
    add(kind, NoAttrs{}, {x, y}, to);
    return to;
  }
  ValueId pack(const std::vector<ValueId>& parts, int axis) {
    const Shape in = shape(parts[0]);
    std::vector<int64_t> sizes;
    for (int k = 0; k < in.rank(); ++k) sizes.push_back(in[k]);
    sizes.insert(sizes.begin() + axis, static_cast<int64_t>(parts.size()));
    const ValueId to = value(Shape(sizes), 1.0F);
    for (const ValueId id : parts) graph_.value(to).quant = graph_.value(id).quant;
    PackAttrs a;
    a.values_count = static_cast<int>(parts.size());
    a.axis = axis;
    add(OpKind::pack, a, parts, to);
    return to;
  }
  ValueId blocks(OpKind kind, ValueId from, int block) {
    const Shape in = shape(from);
    const bool deeper = kind == OpKind::space_to_depth;
    const int64_t n = block;
    const ValueId to = value(deeper ? Shape{1, in[1] / n, in[2] / n, in[3] * n * n}
                                    : Shape{1, in[1] * n, in[2] * n, in[3] / (n * n)},
                             1.0F);
    graph_.value(to).quant = graph_.value(from).quant;
    BlockAttrs a;
    a.block_size = block;
    add(kind, a, {from}, to);
    return to;
  }
  void same_quantization(ValueId id, ValueId as) {
    graph_.value(id).quant = graph_.value(as).quant;
  }
  void rescaled(ValueId id, float scale) { graph_.value(id).quant.scale = {scale}; }
  Graph ends(const std::vector<ValueId>& outputs) {
    graph_.outputs = outputs;
    return graph_;
  }

 protected:
  // Also operators that no random network has had.
  ValueId rearranged(ValueId at) override {
    const Shape s = shape(at);
    const auto h = static_cast<int>(s[1]), w = static_cast<int>(s[2]), c = static_cast<int>(s[3]);
    const bool small = h * w * c < 6000 && h * w > 1;
    switch (below(18)) {
      case 0:
        return small ? transposed_conv(at, 1 + below(20), 2 + below(3), 2, below(2) == 0) : at;
      case 1:
        return small ? resized(OpKind::resize_nearest_neighbor, at, 2 + below(2 * h),
                               2 + below(2 * w), false, below(2) == 0)
                     : at;
      case 2:
        return multiplied_deep(at, 2, {1 + 2 * below(2), 1 + 2 * below(2), 1 + below(2)});
      case 3:
        return least_or_greatest(below(2) == 0 ? OpKind::maximum : OpKind::minimum, at,
                                 conv(at, c, 1, 1, false));
      case 4:
        return h % 2 == 0 && w % 2 == 0 && c < 40 && h * w > 4
                   ? blocks(OpKind::space_to_depth, at, 2)
                   : at;
      case 5:
        return c % 4 == 0 && small ? blocks(OpKind::depth_to_space, at, 2) : at;
      case 6:
        return small ? reshape(pack({at, at}, 3), {1, h, 2 * w, c}) : at;
      case 7:
        return h < 2 || w < 2 || c > 200 ? at : mean(at, {1 + below(2)}, true);
      case 8:
        return small ? greatest_of(at, 3 + below(11), 1 + below(2)) : at;
      case 9:
        return small ? average_of(at, 3 + below(11), 1 + below(2)) : at;
      default:
        return RandomNetwork::rearranged(at);
    }
  }

 private:
  static int64_t places(int64_t size, int kernel, const Filter& f) {
    return f.same ? (size + f.stride - 1) / f.stride : (size - kernel) / f.stride + 1;
  }
  ValueId windowed(ValueId from, int channels, const Filter& f, bool relu, bool deep) {
    const Shape in = shape(from);
    if (channels == 0) channels = static_cast<int>(in[3]);
    const auto taps = static_cast<float>(f.kernel_h * f.kernel_w * (deep ? 1 : in[3]));
    const ValueId to =
        value({1, places(in[1], f.kernel_h, f), places(in[2], f.kernel_w, f), channels},
              0.02F * 0.4F * std::sqrt(taps));
    Conv2DAttrs a;
    a.padding.kind = f.same ? Padding::Kind::same : Padding::Kind::valid;
    a.stride_h = a.stride_w = f.stride;
    a.depth_multiplier = deep ? channels / static_cast<int>(in[3]) : 1;
    a.activation = relu ? Activation::relu : Activation::none;
    const Shape filter = deep ? Shape{1, f.kernel_h, f.kernel_w, channels}
                              : Shape{channels, f.kernel_h, f.kernel_w, in[3]};
    add(deep ? OpKind::depthwise_conv_2d : OpKind::conv_2d, a,
        {from, weights(filter, 0.01F, deep ? 3 : 0), bias(channels)}, to);
    return to;
  }
};

}  // namespace edgetwin::edgetpu

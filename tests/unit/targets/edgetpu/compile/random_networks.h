// Networks of bytes with weights that nobody chose, for the compiler of the Edge TPU.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "base/rng.h"
#include "graph/graph.h"

namespace edgetwin::edgetpu {

// How the network was quantized: uint8 with a zero point of weights, int8 with a scale for each
// channel; or int8 with one of both.
enum class Trained : uint8_t { any, uint8, int8 };

class RandomNetwork {
 public:
  virtual ~RandomNetwork() = default;
  explicit RandomNetwork(uint32_t seed, Trained trained = Trained::any)
      : trained_(trained), random_(seed * 2654435761U + 1) {
    for (int k = 0; k < 8; ++k) random_.next();
    graph_.name = "main";
  }

  int below(int n) { return static_cast<int>(random_.next() % static_cast<uint32_t>(n)); }

  ValueId value(const Shape& shape, float scale) {
    Value v;
    v.name = "v" + std::to_string(graph_.values.size());
    v.dtype = byte_type();
    v.shape = shape;
    v.quant = Quant::affine(scale, below(200) - 100 + above());
    graph_.values.push_back(std::move(v));
    return static_cast<ValueId>(graph_.values.size() - 1);
  }
  ValueId input(int h, int w, int c) {
    const ValueId id = value({1, h, w, c}, 0.02F);
    graph_.inputs.push_back(id);
    return id;
  }
  const Shape& shape(ValueId id) const { return graph_.value(id).shape; }

  ValueId window(ValueId from, int channels, int kernel, int stride, int dilation, bool same,
                 bool depthwise) {
    const Shape in = shape(from);
    if (depthwise) channels = static_cast<int>(in[3]);
    const auto out = [&](int64_t n) {
      const int64_t reach = (kernel - 1) * dilation + 1;
      if (!same && n < reach) return int64_t{0};
      return same ? (n + stride - 1) / stride : (n - reach) / stride + 1;
    };
    if (out(in[1]) <= 0 || out(in[2]) <= 0) return from;
    const int taps = kernel * kernel * static_cast<int>(depthwise ? 1 : in[3]);
    const float weight_scale = 0.01F;
    const float range = 40.0F * weight_scale * std::sqrt(static_cast<float>(taps));
    const ValueId to = value({1, out(in[1]), out(in[2]), channels}, 0.02F * range);
    Conv2DAttrs a;
    a.padding.kind = same ? Padding::Kind::same : Padding::Kind::valid;
    a.stride_h = a.stride_w = stride;
    a.dilation_h = a.dilation_w = dilation;
    a.depth_multiplier = 1;
    a.activation = below(2) == 0 ? Activation::relu : Activation::none;
    const Shape filter =
        depthwise ? Shape{1, kernel, kernel, channels} : Shape{channels, kernel, kernel, in[3]};
    add(depthwise ? OpKind::depthwise_conv_2d : OpKind::conv_2d, a,
        {from, weights(filter, weight_scale, depthwise ? 3 : 0), bias(channels)}, to);
    return to;
  }
  ValueId dense(ValueId from, int outputs) {
    const auto inputs = shape(from).elements();
    const ValueId to = value({1, outputs}, 0.1F);
    FullyConnectedAttrs a;
    add(OpKind::fully_connected, a, {from, weights({outputs, inputs}, 0.01F, 0), bias(outputs)},
        to);
    return to;
  }
  ValueId softmax(ValueId from, float beta = 1.0F) {
    const ValueId to = value(shape(from), 1.0F / 256);
    graph_.value(to).quant.zero_point = {above() - 128};
    SoftmaxAttrs a;
    a.beta = beta;
    add(OpKind::softmax, a, {from}, to);
    return to;
  }
  ValueId average(ValueId from) {
    const Shape in = shape(from);
    const ValueId to = value({1, 1, 1, in[3]}, 0.015F);
    PoolAttrs a;
    a.padding.kind = Padding::Kind::valid;
    a.stride_h = a.filter_h = static_cast<int>(in[1]);
    a.stride_w = a.filter_w = static_cast<int>(in[2]);
    add(OpKind::average_pool_2d, a, {from}, to);
    return to;
  }
  ValueId greatest(ValueId from, int kernel_h, int kernel_w, int stride_h, int stride_w) {
    const Shape in = shape(from);
    const ValueId to = value(
        {1, (in[1] - kernel_h) / stride_h + 1, (in[2] - kernel_w) / stride_w + 1, in[3]}, 1.0F);
    graph_.value(to).quant = graph_.value(from).quant;
    PoolAttrs a;
    a.padding.kind = Padding::Kind::valid;
    a.filter_h = kernel_h, a.filter_w = kernel_w;
    a.stride_h = stride_h, a.stride_w = stride_w;
    add(OpKind::max_pool_2d, a, {from}, to);
    return to;
  }
  ValueId averages(ValueId from, int kernel, int stride, bool same) {
    const Shape in = shape(from);
    const auto out = [&](int64_t n) {
      return same ? (n + stride - 1) / stride : (n - kernel) / stride + 1;
    };
    const ValueId to = value({1, out(in[1]), out(in[2]), in[3]}, 0.015F);
    PoolAttrs a;
    a.padding.kind = same ? Padding::Kind::same : Padding::Kind::valid;
    a.filter_h = a.filter_w = kernel;
    a.stride_h = a.stride_w = stride;
    add(OpKind::average_pool_2d, a, {from}, to);
    return to;
  }
  // The greatest of windows that reach over the edge.
  ValueId greatest_same(ValueId from, int kernel, int stride) {
    const Shape in = shape(from);
    const ValueId to =
        value({1, (in[1] + stride - 1) / stride, (in[2] + stride - 1) / stride, in[3]}, 1.0F);
    graph_.value(to).quant = graph_.value(from).quant;
    PoolAttrs a;
    a.padding.kind = Padding::Kind::same;
    a.filter_h = a.filter_w = kernel;
    a.stride_h = a.stride_w = stride;
    add(OpKind::max_pool_2d, a, {from}, to);
    return to;
  }
  ValueId nearest(ValueId from, int y, int x) {
    const Shape in = shape(from);
    const ValueId to = value({1, in[1] * y, in[2] * x, in[3]}, 1.0F);
    graph_.value(to).quant = graph_.value(from).quant;
    ResizeAttrs a;
    a.half_pixel_centers = below(2) == 0;
    const std::vector<int32_t> size = {static_cast<int32_t>(in[1] * y),
                                       static_cast<int32_t>(in[2] * x)};
    add(OpKind::resize_nearest_neighbor, a, {from, numbers(size)}, to);
    return to;
  }
  // Twice the size, between the middles of pixels.
  ValueId doubled(ValueId from) {
    const Shape in = shape(from);
    return larger(from, static_cast<int>(2 * in[1]), static_cast<int>(2 * in[2]), false, true);
  }
  ValueId larger(ValueId from, int h, int w, bool corners, bool middles) {
    return resized(OpKind::resize_bilinear, from, h, w, corners, middles);
  }
  ValueId resized(OpKind kind, ValueId from, int h, int w, bool corners, bool middles) {
    const ValueId to = value({1, h, w, shape(from)[3]}, 1.0F);
    graph_.value(to).quant = graph_.value(from).quant;
    ResizeAttrs a;
    a.align_corners = corners;
    a.half_pixel_centers = middles;
    add(kind, a, {from, numbers({h, w})}, to);
    return to;
  }
  // One position to all of a picture.
  ValueId spread(ValueId from, int h, int w, bool bilinear) {
    const ValueId to = value({1, h, w, shape(from)[3]}, 1.0F);
    graph_.value(to).quant = graph_.value(from).quant;
    ResizeAttrs a;
    a.align_corners = bilinear;
    add(bilinear ? OpKind::resize_bilinear : OpKind::resize_nearest_neighbor, a,
        {from, numbers({h, w})}, to);
    return to;
  }
  ValueId tile(ValueId from, int h, int w) {
    const ValueId to = value({1, h, w, shape(from)[3]}, 1.0F);
    graph_.value(to).quant = graph_.value(from).quant;
    add(OpKind::tile, NoAttrs{}, {from, numbers({1, h, w, 1})}, to);
    return to;
  }
  // Channels from `first` on.
  ValueId slice(ValueId from, int first, int channels) {
    const Shape in = shape(from);
    const ValueId to = value({1, in[1], in[2], channels}, 1.0F);
    graph_.value(to).quant = graph_.value(from).quant;
    const auto side = [](int64_t n) { return static_cast<int32_t>(n); };
    add(OpKind::slice, NoAttrs{},
        {from, numbers({0, 0, 0, first}), numbers({1, side(in[1]), side(in[2]), channels})}, to);
    return to;
  }
  std::vector<ValueId> split(ValueId from, int parts) {
    const Shape in = shape(from);
    std::vector<ValueId> all;
    for (int k = 0; k < parts; ++k) {
      all.push_back(value({1, in[1], in[2], in[3] / parts}, 1.0F));
      graph_.value(all.back()).quant = graph_.value(from).quant;
    }
    SplitAttrs a;
    a.num_splits = parts;
    const ValueId axis = numbers({3});
    graph_.value(axis).shape = Shape({});
    add(OpKind::split, a, {axis, from}, all[0]);
    graph_.ops.back().outputs = all;
    return all;
  }
  ValueId sum(ValueId x, ValueId y) {
    const ValueId to = value(shape(graph_.value(x).is_constant() ? y : x), 0.03F);
    add(OpKind::add, BinaryAttrs{}, {x, y}, to);
    return to;
  }
  ValueId difference(ValueId x, ValueId y) {
    const ValueId to = value(shape(graph_.value(x).is_constant() ? y : x), 0.03F);
    BinaryAttrs a;
    a.activation = below(2) == 0 ? Activation::relu : Activation::none;
    add(OpKind::sub, a, {x, y}, to);
    return to;
  }
  ValueId product(ValueId x, ValueId y) {
    const ValueId to = value(shape(graph_.value(x).is_constant() ? y : x), 0.01F);
    BinaryAttrs a;
    a.activation = below(2) == 0 ? Activation::relu6 : Activation::none;
    add(OpKind::mul, a, {x, y}, to);
    return to;
  }
  // A constant of bytes that nobody chose.
  ValueId noise(const Shape& s) {
    Bytes bytes(static_cast<size_t>(s.elements()));
    for (std::byte& b : bytes) b = static_cast<std::byte>(random_.byte());
    return constant(s, byte_type(), std::move(bytes),
                    Quant::affine(0.03F, below(200) - 100 + above()));
  }
  // Of two that have one scale.
  ValueId extreme(OpKind kind, ValueId x, ValueId y) {
    const ValueId to = value(shape(graph_.value(x).is_constant() ? y : x), 0.02F);
    graph_.value(x).quant = graph_.value(y).quant = graph_.value(to).quant;
    add(kind, NoAttrs{}, {x, y}, to);
    return to;
  }
  // A sum, difference or product with one number.
  ValueId with_number(ValueId x, OpKind kind, bool first = false) {
    Bytes byte = {static_cast<std::byte>(random_.byte())};
    const ValueId number = constant({1}, byte_type(), std::move(byte),
                                    Quant::affine(0.03F, below(200) - 100 + above()));
    const ValueId to = value(shape(x), below(2) == 0 ? 0.02F : 0.04F);
    BinaryAttrs a;
    a.activation = below(2) == 0 ? Activation::relu : Activation::none;
    add(kind, a, first ? std::vector<ValueId>{number, x} : std::vector<ValueId>{x, number}, to);
    return to;
  }
  ValueId logistic(ValueId x) {
    const ValueId to = value(shape(x), 1.0F / 256);
    graph_.value(to).quant.zero_point = {above() - 128};
    add(OpKind::logistic, NoAttrs{}, {x}, to);
    return to;
  }
  // Stays on the host.
  ValueId normalized(ValueId x) {
    const ValueId to = value(shape(x), 1.0F / 128);
    graph_.value(to).quant.zero_point = {above()};
    add(OpKind::l2_normalization, ActivationAttrs{}, {x}, to);
    return to;
  }
  ValueId join(ValueId x, ValueId y) {
    Shape s = shape(x);
    s[3] += shape(y)[3];
    const ValueId to = value(s, 0.025F);
    ConcatAttrs a;
    a.axis = 3;
    add(OpKind::concatenation, a, {x, y}, to);
    return to;
  }

  // Along any axis; operands of other scales are scaled.
  ValueId join_along(int axis, const std::vector<ValueId>& parts, bool same = false) {
    Shape s = shape(parts[0]);
    for (size_t k = 1; k < parts.size(); ++k) s[axis] += shape(parts[k])[axis];
    const ValueId to = value(s, 0.025F);
    if (same) {
      for (const ValueId id : parts) graph_.value(id).quant = graph_.value(to).quant;
    }
    ConcatAttrs a;
    a.axis = axis;
    add(OpKind::concatenation, a, parts, to);
    return to;
  }
  ValueId cut(ValueId from, const std::array<int, 4>& begin, const std::array<int, 4>& size) {
    const ValueId to = value({1, size[1], size[2], size[3]}, 1.0F);
    graph_.value(to).quant = graph_.value(from).quant;
    add(OpKind::slice, NoAttrs{},
        {from, numbers({begin[0], begin[1], begin[2], begin[3]}),
         numbers({size[0], size[1], size[2], size[3]})},
        to);
    return to;
  }
  // `size` of rows, columns and channels, `step` apart.
  ValueId strided(ValueId from, const std::array<int, 3>& begin, const std::array<int, 3>& size,
                  const std::array<int, 3>& step) {
    const ValueId to = value({1, size[0], size[1], size[2]}, 1.0F);
    graph_.value(to).quant = graph_.value(from).quant;
    const auto end = [&](size_t k) { return begin[k] + (size[k] - 1) * step[k] + 1; };
    add(OpKind::strided_slice, StridedSliceAttrs{},
        {from, numbers({0, begin[0], begin[1], begin[2]}), numbers({1, end(0), end(1), end(2)}),
         numbers({1, step[0], step[1], step[2]})},
        to);
    return to;
  }
  ValueId pad(ValueId from, const std::array<int, 6>& n) {
    const Shape in = shape(from);
    const ValueId to =
        value({1, in[1] + n[0] + n[1], in[2] + n[2] + n[3], in[3] + n[4] + n[5]}, 1.0F);
    graph_.value(to).quant = graph_.value(from).quant;
    const ValueId pads = numbers({0, 0, n[0], n[1], n[2], n[3], n[4], n[5]});
    graph_.value(pads).shape = Shape({4, 2});
    add(OpKind::pad, NoAttrs{}, {from, pads}, to);
    return to;
  }
  ValueId transpose(ValueId from) {
    const Shape in = shape(from);
    const ValueId to = value({1, in[2], in[1], in[3]}, 1.0F);
    graph_.value(to).quant = graph_.value(from).quant;
    add(OpKind::transpose, NoAttrs{}, {from, numbers({0, 2, 1, 3})}, to);
    return to;
  }
  ValueId transpose(ValueId from, const std::array<int, 3>& axes) {
    const Shape in = shape(from);
    const ValueId to = value({1, in[axes[0]], in[axes[1]], in[axes[2]]}, 1.0F);
    graph_.value(to).quant = graph_.value(from).quant;
    add(OpKind::transpose, NoAttrs{}, {from, numbers({0, axes[0], axes[1], axes[2]})}, to);
    return to;
  }
  ValueId reshape(ValueId from, const Shape& s) {
    const ValueId to = value(s, 1.0F);
    graph_.value(to).quant = graph_.value(from).quant;
    std::vector<int32_t> sizes;
    for (int k = 0; k < s.rank(); ++k) sizes.push_back(static_cast<int32_t>(s[k]));
    add(OpKind::reshape, ReshapeAttrs{}, {from, numbers(sizes)}, to);
    return to;
  }
  // A matrix of weights for each row.
  ValueId rows(ValueId from, int outputs) {
    Shape s = shape(from);
    const int64_t inputs = s.back(0);
    s[s.rank() - 1] = outputs;
    const ValueId to = value(s, 0.1F);
    FullyConnectedAttrs a;
    a.keep_num_dims = s.rank() > 2;
    add(OpKind::fully_connected, a, {from, weights({outputs, inputs}, 0.01F, 0), bias(outputs)},
        to);
    return to;
  }
  ValueId input_of(const Shape& s) {
    const ValueId id = value(s, 0.02F);
    graph_.inputs.push_back(id);
    return id;
  }
  // Every channel times a number of its own.
  ValueId times_channels(ValueId x) {
    const auto n = static_cast<size_t>(shape(x).back(0));
    Bytes bytes(n);
    for (std::byte& b : bytes) b = static_cast<std::byte>(random_.byte());
    const ValueId factors = constant({static_cast<int64_t>(n)}, byte_type(), std::move(bytes),
                                     Quant::affine(0.03F, below(200) - 100 + above()));
    const ValueId to = value(shape(x), 0.04F);
    add(OpKind::mul, BinaryAttrs{}, {x, factors}, to);
    return to;
  }
  // Of a picture and a vector of its channels.
  ValueId pair(OpKind kind, ValueId x, ValueId y) {
    const bool first = shape(x).elements() >= shape(y).elements();
    const ValueId to = value(shape(first ? x : y), kind == OpKind::mul ? 0.01F : 0.03F);
    add(kind, BinaryAttrs{}, {x, y}, to);
    return to;
  }
  // UNIDIRECTIONAL_SEQUENCE_LSTM of [1, steps, depth].
  ValueId recurrent(ValueId from, int units) {
    const Shape in = shape(from);
    const ValueId to = value({1, in[1], units}, 1.0F / 128);
    const ValueId hidden = value({1, units}, 1.0F), cell = value({1, units}, 1.0F / 4096);
    graph_.value(hidden).quant = graph_.value(to).quant;
    graph_.value(cell).quant = Quant::affine(1.0F / static_cast<float>(1024 << below(5)), 0);
    graph_.value(cell).dtype = DType::int16;
    graph_.value(hidden).is_variable = graph_.value(cell).is_variable = true;
    std::vector<ValueId> all(24, kAbsent);
    all[0] = from, all[18] = hidden, all[19] = cell;
    for (size_t gate = 0; gate < 4; ++gate) {
      all[1 + gate] = whole_weights({units, in[2]}), all[5 + gate] = whole_weights({units, units});
      all[12 + gate] = bias(units);
    }
    LstmAttrs a;
    a.activation = Activation::tanh;
    a.cell_clip = below(2) == 0 ? 0.0F : 1000.0F;
    add(OpKind::unidirectional_sequence_lstm, a, all, to);
    return to;
  }
  ValueId hyperbolic(ValueId x) {
    const ValueId to = value(shape(x), 1.0F / 128);
    graph_.value(to).quant.zero_point = {above()};
    add(OpKind::tanh, NoAttrs{}, {x}, to);
    return to;
  }

  // Any of these, one after the other.
  Graph any() {
    ValueId at = input(4 + below(30), 4 + below(30), below(2) == 0 ? 3 : 4 * (1 + below(20)));
    for (int n = 1 + below(6); n > 0; --n) {
      const int what = below(18);
      const bool same = below(4) != 0;
      const int kernel = 1 + 2 * below(3), stride = 1 + below(2);
      const int dilation = stride == 1 && kernel > 1 ? 1 + below(2) : 1;
      if (what < 3) at = window(at, 1 + below(150), kernel, stride, dilation, same, false);
      if (what == 3 || what == 4) at = window(at, 0, kernel, stride, dilation, same, true);
      if (what == 5) at = sum(at, window(at, static_cast<int>(shape(at)[3]), 1, 1, 1, true, false));
      if (what == 6) at = logistic(at);
      if (what == 7 && shape(at)[3] % 4 == 0) {
        at = join(at, window(at, 1 + below(40), 3, 1, 1, true, false));
      }
      if (what == 8 && shape(at)[1] * shape(at)[2] > 1)
        at = greatest_same(at, 2 + below(2), stride);
      if (what == 9) at = moved(at);
      if (what == 10) {
        at = product(at, window(at, static_cast<int>(shape(at)[3]), 1, 1, 1, true, false));
      }
      if (what == 11) at = with_number(at, OpKind::mul, below(2) == 0);
      if (what == 12) at = with_number(at, below(2) == 0 ? OpKind::add : OpKind::sub);
      if (what == 13 && shape(at)[1] * shape(at)[2] < 400) at = doubled(at);
      if (what > 13) at = rearranged(at);
      if (shape(at)[1] * shape(at)[2] == 1) break;
    }
    if (shape(at)[1] * shape(at)[2] > 1 && below(3) == 0) at = average(at);
    if (shape(at)[1] * shape(at)[2] == 1 && below(2) == 0) {
      at = dense(at, 1 + below(300));
      if (below(2) == 0) at = softmax(at);
    }
    graph_.outputs = {at};
    return graph_;
  }
  Graph finish(ValueId output) {
    graph_.outputs = {output};
    return graph_;
  }

 protected:
  DType byte_type() const { return trained_ == Trained::uint8 ? DType::uint8 : DType::int8; }
  int above() const { return trained_ == Trained::uint8 ? 128 : 0; }  // zero points of int8
  // Other positions or channels, or all of them weighted by what is known of all of them.
  virtual ValueId rearranged(ValueId at) {
    const Shape s = shape(at);
    const auto h = static_cast<int>(s[1]), w = static_cast<int>(s[2]), c = static_cast<int>(s[3]);
    switch (below(9)) {
      case 7:
        return h < 4 || w < 4 ? at : averages(at, 2 + below(2), 1 + below(2), below(2) == 0);
      case 0:
        return pad(at, {below(3), below(3), below(3), below(3), below(2) * below(5), below(3)});
      case 1:
        return transpose(at);
      case 2:
        return times_channels(at);
      case 3:
        return pair(below(2) == 0 ? OpKind::mul : OpKind::add, at, hyperbolic(average(at)));
      case 4:
        return join_along(1 + below(2), {at, at});
      case 5:
        return c < 3 ? at : join_along(3, {cut(at, {0, 0, 0, 1}, {1, h, w, c - 1}), at});
      case 6:
        return reshape(at, {1, w, h, c});
      default:
        if (h < 3 || w < 3) return at;
        return cut(at, {0, below(2), below(2), 0}, {1, h - 1 - below(2), w - 1 - below(2), c});
    }
  }
  // Some of its channels, or its positions twice.
  ValueId moved(ValueId at) {
    const int channels = static_cast<int>(shape(at)[3]);
    if (below(2) == 0 && shape(at)[1] * shape(at)[2] < 200) return nearest(at, 2, 1 + below(2));
    if (channels % 8 == 0 && below(2) == 0) {
      const auto parts = split(at, 2);
      return sum(parts[0], parts[1]);
    }
    if (channels < 8) return at;
    const int first = 4 * below(channels / 4);
    return slice(at, first, channels - first);
  }
  ValueId numbers(const std::vector<int32_t>& n) {
    Bytes bytes(n.size() * sizeof(int32_t));
    std::memcpy(bytes.data(), n.data(), bytes.size());
    return constant({static_cast<int64_t>(n.size())}, DType::int32, std::move(bytes), Quant{});
  }
  template <class A>
  void add(OpKind kind, const A& attrs, std::vector<ValueId> inputs, ValueId output) {
    Op op;
    op.kind = kind;
    op.attrs = attrs;
    op.inputs = std::move(inputs);
    op.outputs = {output};
    graph_.ops.push_back(std::move(op));
  }
  ValueId constant(const Shape& shape, DType type, Bytes bytes, Quant quant) {
    Value v;
    v.name = "c" + std::to_string(graph_.values.size());
    v.dtype = type;
    v.shape = shape;
    v.quant = std::move(quant);
    v.constant = std::make_shared<const Bytes>(std::move(bytes));
    graph_.values.push_back(std::move(v));
    return static_cast<ValueId>(graph_.values.size() - 1);
  }
  ValueId weights(const Shape& shape, float scale, int axis) {
    Bytes bytes(static_cast<size_t>(shape.elements()));
    for (std::byte& b : bytes) b = static_cast<std::byte>(random_.byte());
    Quant quant = Quant::affine(scale, trained_ == Trained::uint8 ? 90 + below(70) : 0);
    if (trained_ == Trained::int8 || (trained_ == Trained::any && below(2) == 0)) {
      const auto n = static_cast<size_t>(shape[axis]);
      quant.scale.clear();
      for (size_t k = 0; k < n; ++k) {
        quant.scale.push_back(scale * (0.5F + static_cast<float>(below(100)) / 100.0F));
      }
      quant.zero_point.assign(n, 0);
      quant.axis = axis;
    }
    return constant(shape, byte_type(), std::move(bytes), std::move(quant));
  }
  // Of one scale.
  ValueId whole_weights(const Shape& shape) {
    Bytes bytes(static_cast<size_t>(shape.elements()));
    for (std::byte& b : bytes) b = static_cast<std::byte>(random_.byte());
    const float scale = 0.002F + 0.0001F * static_cast<float>(below(100));
    return constant(shape, DType::int8, std::move(bytes), Quant::affine(scale, 0));
  }
  ValueId bias(int n) {
    std::vector<int32_t> values;
    for (int k = 0; k < n; ++k) values.push_back(below(4000) - 2000);
    Bytes bytes(values.size() * 4);
    std::memcpy(bytes.data(), values.data(), bytes.size());
    return constant({n}, DType::int32, std::move(bytes), Quant::affine(0.0002F, 0));
  }

  Trained trained_;
  XorShift32 random_;
  Graph graph_;
};

}  // namespace edgetwin::edgetpu

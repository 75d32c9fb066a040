// Convolutions and products.
#include <algorithm>

#include "transform/tflite_form/windows.h"

namespace edgetwin::transform {
namespace {

// What TensorFlow Lite's SAME adds in front and after.
bool is_same(int64_t in, int64_t out, int64_t size, int64_t stride, int before, int after) {
  if (out != (in + stride - 1) / stride) return false;
  const int64_t total = std::max<int64_t>(0, (out - 1) * stride + size - in);
  return before == total / 2 && after == total - total / 2;
}

}  // namespace

bool is_none(const Padding& p) {
  return p.top == 0 && p.left == 0 && p.bottom == 0 && p.right == 0;
}

bool is_same(const Window& w, const Padding& p) {
  return is_same(w.in_h, w.out_h, w.size_h, w.stride_h, p.top, p.bottom) &&
         is_same(w.in_w, w.out_w, w.size_w, w.stride_w, p.left, p.right);
}

ValueId padded(TfliteFormBuilder& f, ValueId x, const Padding& p, float around) {
  const Shape in = f.made().value(x).shape;
  const Shape out{in[0], in[1] + p.top + p.bottom, in[2] + p.left + p.right, in[3]};
  const std::string name = f.made().value(x).name;
  const ValueId result = f.between(name + "_padded", out);
  const ValueId paddings =
      f.constant(name + "_paddings", {0, 0, p.top, p.bottom, p.left, p.right, 0, 0});
  f.reshape_constant(paddings, {4, 2});
  if (around == 0.0F) {
    f.emit(OpKind::pad, NoAttrs{}, {x, paddings}, {result});
  } else {
    const ValueId border = f.constant(name + "_border", {1}, {around});
    f.emit(OpKind::padv2, NoAttrs{}, {x, paddings, border}, {result});
  }
  return result;
}

Window window_of(TfliteFormBuilder& f, int64_t size_h, int64_t size_w, int stride_h, int stride_w) {
  const Op& op = f.op();
  Window w;
  const Shape in = TfliteFormBuilder::shape_in(
      f.shape(op.inputs[0]), TfliteFormBuilder::channels_last(f.shape(op.inputs[0]).rank()));
  const Shape out = TfliteFormBuilder::shape_in(
      f.shape(op.outputs[0]), TfliteFormBuilder::channels_last(f.shape(op.outputs[0]).rank()));
  w.in_h = in[1];
  w.in_w = in[2];
  w.out_h = out[1];
  w.out_w = out[2];
  w.size_h = size_h;
  w.size_w = size_w;
  w.stride_h = stride_h;
  w.stride_w = stride_w;
  return w;
}

namespace {

// Filters O x C x KH x KW as O x KH x KW x C, depthwise as 1 x KH x KW x O.
ValueId filter_of(TfliteFormBuilder& f, bool depthwise) {
  const Value& v = f.value(f.op().inputs[1]);
  const Shape& s = v.shape;
  const int64_t o = s[0], c = s[1];
  const int64_t h = s.rank() == 4 ? s[2] : 1, w = s.back(0);
  const auto from = f.floats(f.op().inputs[1]);
  std::vector<float> to(from.size());
  const int64_t taps = h * w;
  auto next = from.begin();
  for (int64_t n = 0; n < o; ++n) {
    for (int64_t k = 0; k < c; ++k) {
      for (int64_t tap = 0; tap < taps; ++tap) {
        to[static_cast<size_t>(depthwise ? tap * o + n : (n * taps + tap) * c + k)] = *next++;
      }
    }
  }
  return f.constant(v.name, depthwise ? Shape{1, h, w, o} : Shape{o, h, w, c}, to);
}

// TensorFlow Lite's own converter writes a bias always.
ValueId bias_of(TfliteFormBuilder& f, int64_t channels) {
  if (f.op().has_input(2)) {
    const auto values = f.floats(f.op().inputs[2]);
    return f.constant(f.value(f.op().inputs[2]).name, {channels}, {values.begin(), values.end()});
  }
  return f.constant(f.value(f.op().outputs[0]).name + "_bias", {channels},
                    std::vector<float>(static_cast<size_t>(channels), 0.0F));
}

// The operator that puts zeros between the elements of the convolution's input, if it serves this
// convolution alone: then both are a transposed convolution.
const Op* zeros_before(const TfliteFormBuilder& f, const Op& op) {
  const Op* made_by = f.producer(op.inputs[0]);
  const bool serves_one = made_by != nullptr && made_by->kind == OpKind::insert_zeros &&
                          f.is_read_once(op.inputs[0]) && op.kind == OpKind::conv_2d &&
                          f.shape(op.inputs[0]).rank() == 4;
  return serves_one ? made_by : nullptr;
}

// The filter O x C x KH x KW turned by half a circle, as O x KH x KW x C.
ValueId turned_filter(TfliteFormBuilder& f) {
  const Value& v = f.value(f.op().inputs[1]);
  const int64_t c = v.shape[1], h = v.shape[2], w = v.shape[3];
  const auto from = f.floats(f.op().inputs[1]);
  std::vector<float> to(from.size());
  for (int64_t i = 0; i < static_cast<int64_t>(from.size()); ++i) {
    const int64_t x = i % w, y = i / w % h, k = i / (w * h) % c, n = i / (w * h * c);
    const int64_t at = ((n * h + (h - 1 - y)) * w + (w - 1 - x)) * c + k;
    to[static_cast<size_t>(at)] = from[static_cast<size_t>(i)];
  }
  return f.constant(v.name, {v.shape[0], h, w, c}, to);
}

// TRANSPOSE_CONV without padding, and of its result the part that is wanted.
void form_transpose_conv(TfliteFormBuilder& f, const Op& zeros) {
  const Op& op = f.op();
  const auto& conv = op.as<Conv2DAttrs>();
  const Shape& filter = f.shape(op.inputs[1]);
  const Shape& in = f.shape(zeros.inputs[0]);
  const Shape& out = f.shape(op.outputs[0]);
  const auto& stride = zeros.as<InsertZerosAttrs>().stride;
  const int64_t whole_h = (in[2] - 1) * stride[0] + filter[2];
  const int64_t whole_w = (in[3] - 1) * stride[1] + filter[3];
  const int64_t top = filter[2] - 1 - conv.padding.top, left = filter[3] - 1 - conv.padding.left;
  const bool usual = conv.stride_h == 1 && conv.stride_w == 1 && conv.dilation_h == 1 &&
                     conv.dilation_w == 1 && filter[1] == in[1];
  if (!usual || top < 0 || left < 0 || top + out[2] > whole_h || left + out[3] > whole_w) {
    return f.refuse("a transposed convolution with dilation, groups or padding beyond its result");
  }
  TransposeConvAttrs a;
  a.padding.kind = Padding::Kind::valid;
  a.stride_h = static_cast<int>(stride[0]);
  a.stride_w = static_cast<int>(stride[1]);
  const std::string name = f.value(op.outputs[0]).name;
  const Shape whole{out[0], whole_h, whole_w, out[1]};
  const ValueId size = f.constant(name + "_whole", {whole[0], whole[1], whole[2], whole[3]});
  const ValueId x = f.get(zeros.inputs[0], Order::last);
  const std::vector<ValueId> inputs = {size, turned_filter(f), x, bias_of(f, filter[0])};
  const ValueId y = f.result(op.outputs[0], Order::last);
  if (whole_h == out[2] && whole_w == out[3]) return f.emit(OpKind::transpose_conv, a, inputs, {y});
  const ValueId all = f.between(name + "_all", whole);
  f.emit(OpKind::transpose_conv, a, inputs, {all});
  const ValueId begin = f.constant(name + "_begin", {0, top, left, 0});
  const ValueId extent = f.constant(name + "_size", {out[0], out[2], out[3], out[1]});
  f.emit(OpKind::slice, NoAttrs{}, {all, begin, extent}, {y});
}

}  // namespace

// Done by the convolution after it.
void form_insert_zeros(TfliteFormBuilder& f) {
  const Op* user = f.only_consumer(f.op().outputs[0]);
  const bool done = user != nullptr && user->kind == OpKind::conv_2d &&
                    f.shape(f.op().outputs[0]).rank() == 4 && !user->inputs.empty() &&
                    user->inputs[0] == f.op().outputs[0] && f.is_constant(user->inputs[1]);
  if (!done) f.refuse("zeros between elements, and no convolution of a picture after them");
}

void form_conv(TfliteFormBuilder& f) {
  const Op& op = f.op();
  if (const Op* zeros = zeros_before(f, op)) return form_transpose_conv(f, *zeros);
  Conv2DAttrs a = op.as<Conv2DAttrs>();
  if (!f.is_constant(op.inputs[1])) return f.refuse("the filter must be a constant");
  const Shape& filter = f.shape(op.inputs[1]);
  const bool depthwise = op.kind == OpKind::depthwise_conv_2d;
  const Order order = TfliteFormBuilder::channels_last(f.shape(op.inputs[0]).rank());
  const int64_t rows = filter.rank() == 4 ? filter[2] : 1;
  const Window w = window_of(f, (rows - 1) * a.dilation_h + 1,
                             (filter.back(0) - 1) * a.dilation_w + 1, a.stride_h, a.stride_w);
  ValueId x = f.get(op.inputs[0], order);
  const Padding p = a.padding;
  a.padding = {};
  a.padding.kind = is_none(p) ? Padding::Kind::valid : Padding::Kind::same;
  if (!is_none(p) && !is_same(w, p)) {
    x = padded(f, x, p);
    a.padding.kind = Padding::Kind::valid;
  }
  const int64_t channels = f.shape(op.inputs[0])[1];
  a.depth_multiplier = depthwise ? static_cast<int>(filter[0] / std::max<int64_t>(1, channels)) : 0;
  const std::vector<ValueId> inputs = {x, filter_of(f, depthwise), bias_of(f, filter[0])};
  f.emit(op.kind, a, inputs, {f.result(op.outputs[0], order)});
}

void form_fully_connected(TfliteFormBuilder& f) {
  const Op& op = f.op();
  if (!f.is_constant(op.inputs[1])) return f.refuse("the matrix must be a constant");
  FullyConnectedAttrs a = op.as<FullyConnectedAttrs>();
  a.keep_num_dims = f.shape(op.inputs[0]).rank() > 2;
  const ValueId x = f.get(op.inputs[0], Order::plain);
  const ValueId matrix = f.get(op.inputs[1], Order::plain);
  const ValueId bias = bias_of(f, f.shape(op.inputs[1])[0]);
  f.emit(op.kind, a, {x, matrix, bias}, {f.result(op.outputs[0], Order::plain)});
}

// By one constant matrix: a fully connected layer.
void form_matmul(TfliteFormBuilder& f) {
  const Op& op = f.op();
  const ValueId right = op.inputs[1];
  if (!f.is_constant(right) || f.shape(right).rank() != 2 || f.shape(op.inputs[0]).rank() < 2) {
    return f.refuse("a product of two computed tensors, or of several matrices");
  }
  const int64_t k = f.shape(right)[0], n = f.shape(right)[1];
  const auto from = f.floats(right);
  std::vector<float> to(from.size());
  for (int64_t i = 0; i < k * n; ++i) {
    to[static_cast<size_t>(i % n * k + i / n)] = from[static_cast<size_t>(i)];
  }
  FullyConnectedAttrs a;
  a.activation = op.as<MatMulAttrs>().activation;
  a.keep_num_dims = f.shape(op.inputs[0]).rank() > 2;
  const ValueId x = f.get(op.inputs[0], Order::plain);
  const ValueId matrix = f.constant(f.value(right).name, {n, k}, to);
  const ValueId bias = f.constant(f.value(right).name + "_bias", {n},
                                  std::vector<float>(static_cast<size_t>(n), 0.0F));
  f.emit(OpKind::fully_connected, a, {x, matrix, bias}, {f.result(op.outputs[0], Order::plain)});
}

}  // namespace edgetwin::transform

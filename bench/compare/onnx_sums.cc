// Convolutions, products of matrices, pools.
#include <algorithm>
#include <cmath>

#include "compare/onnx_ops.h"

namespace edgetwin::bench {
namespace {

using onnx::Attribute;

struct Sides {
  int64_t before = 0, after = 0;
};

// Rows or columns added around an axis so that the output gets its size.
Sides sides_of(int64_t in, int64_t out, int64_t kernel, int64_t stride, int64_t dilation,
               Padding::Kind kind, int64_t given) {
  const int64_t effective = (kernel - 1) * dilation + 1;
  const int64_t total = std::max<int64_t>(0, (out - 1) * stride + effective - in);
  if (kind == Padding::Kind::given) return {given, std::max<int64_t>(0, total - given)};
  return {total / 2, total - total / 2};
}

struct WindowSizes {
  int64_t kernel_h, kernel_w, stride_h, stride_w, dilation_h, dilation_w;
  Padding padding;
};

std::vector<Attribute> window_attributes(const FormOp& f, const WindowSizes& s) {
  const Shape &in = f.in(0).shape, &out = f.out().shape;
  const Sides y =
      sides_of(in[1], out[1], s.kernel_h, s.stride_h, s.dilation_h, s.padding.kind, s.padding.top);
  const Sides x =
      sides_of(in[2], out[2], s.kernel_w, s.stride_w, s.dilation_w, s.padding.kind, s.padding.left);
  return {integers_attribute("kernel_shape", {s.kernel_h, s.kernel_w}),
          integers_attribute("strides", {s.stride_h, s.stride_w}),
          integers_attribute("pads", {y.before, x.before, y.after, x.after})};
}

// The filter in the order O I H W, of depthwise convolutions O 1 H W.
Shape filter_shape(const Shape& s, bool depthwise) {
  return depthwise ? Shape{s[3], 1, s[1], s[2]} : Shape{s[0], s[3], s[1], s[2]};
}

Bytes moved_filter(const Value& v, bool depthwise) {
  const Shape& s = v.shape;
  const int64_t outer = depthwise ? 1 : s[0], places = s[1] * s[2], inner = s[3];
  const auto size = static_cast<int64_t>(byte_size(v.dtype));
  Bytes moved(v.constant->size());
  for (int64_t o = 0; o < outer; ++o) {
    for (int64_t p = 0; p < places; ++p) {
      for (int64_t i = 0; i < inner; ++i) {
        const int64_t from = ((o * places + p) * inner + i) * size;
        const int64_t to = ((o * inner + i) * places + p) * size;
        std::copy_n(v.constant->begin() + from, size, moved.begin() + to);
      }
    }
  }
  return moved;
}

// Biases in the steps of the sums.
std::string bias_steps(const FormOp& f, size_t channels) {
  const Value& bias = f.in(2);
  const std::vector<double> numbers = numbers_of(bias);
  const float in = f.in(0).quant.scale_of(0);
  std::vector<int32_t> steps(channels);
  for (size_t c = 0; c < channels; ++c) {
    const double sum = static_cast<double>(in) * static_cast<double>(f.in(1).quant.scale_of(c));
    const double own = bias.quant.present() ? static_cast<double>(bias.quant.scale_of(c)) : sum;
    steps[c] = static_cast<int32_t>(std::llround(numbers[c] * own / sum));
  }
  return f.w.constant_of(bias.name, DType::int32, {static_cast<int64_t>(channels)}, steps);
}

// Weights and biases in real numbers.
std::string real_bias(const FormOp& f, size_t channels) {
  const Value& bias = f.in(2);
  const std::vector<double> numbers = numbers_of(bias);
  std::vector<float> reals(channels);
  for (size_t c = 0; c < channels; ++c) {
    reals[c] = static_cast<float>(numbers[c]) *
               (bias.quant.present() ? bias.quant.scale_of(c)
                                     : f.in(0).quant.scale_of(0) * f.in(1).quant.scale_of(c));
  }
  return f.w.constant_of(bias.name, DType::float32, {static_cast<int64_t>(channels)}, reals);
}

// Real weights in the order that `order` gives to positions; channel k of `channels` is
// (position / inner) % channels in the stored order.
template <class Moved>
std::string real_weights(const FormOp& f, const Shape& shape, Moved&& channel_of) {
  const Value& v = f.in(1);
  const std::vector<double> numbers = numbers_of(v);
  Value reals = v;
  reals.dtype = DType::float32;
  std::vector<float> values(numbers.size());
  for (size_t i = 0; i < values.size(); ++i) {
    const size_t c = channel_of(i);
    values[i] = (static_cast<float>(numbers[i]) - static_cast<float>(v.quant.zero_point_of(c))) *
                v.quant.scale_of(c);
  }
  reals.constant = std::make_shared<const Bytes>(to_bytes(std::as_bytes(std::span(values))));
  const bool depthwise = f.op.kind == OpKind::depthwise_conv_2d;
  Bytes bytes = v.shape.rank() == 4 ? moved_filter(reals, depthwise) : *reals.constant;
  return f.w.constant(v.name, DType::float32, shape, std::move(bytes));
}

Status real_conv(const FormOp& f, std::vector<Attribute> attributes, Activation activation) {
  const Shape& s = f.in(1).shape;
  const bool depthwise = f.op.kind == OpKind::depthwise_conv_2d;
  const auto channels = static_cast<size_t>(depthwise ? s[3] : s[0]);
  const auto of_each = static_cast<size_t>(s.elements()) / channels;
  std::vector<std::string> inputs = {f.w.read_real(f.in_id(0), Channels::first),
                                     real_weights(f, filter_shape(s, depthwise), [&](size_t i) {
                                       return depthwise ? i % channels : i / of_each;
                                     })};
  if (f.op.has_input(2)) inputs.push_back(real_bias(f, channels));
  const std::string sums = f.w.node("Conv", std::move(inputs), std::move(attributes));
  f.w.finish_real(f.out_id(), Channels::first, activated(f, activation, sums));
  return Ok{};
}

}  // namespace

Status form_conv(const FormOp& f) {
  const auto& a = f.op.as<Conv2DAttrs>();
  const Shape& s = f.in(1).shape;
  if (!f.in(1).is_constant() || f.in(0).shape.rank() != 4) return f.refused("no picture");
  const bool depthwise = f.op.kind == OpKind::depthwise_conv_2d;
  std::vector<Attribute> attributes = window_attributes(
      f, {s[1], s[2], a.stride_h, a.stride_w, a.dilation_h, a.dilation_w, a.padding});
  attributes.push_back(integers_attribute("dilations", {a.dilation_h, a.dilation_w}));
  attributes.push_back(integer_attribute("group", depthwise ? f.in(0).shape[3] : 1));
  if (!f.has_bytes()) return real_conv(f, std::move(attributes), a.activation);
  const auto channels = static_cast<size_t>(depthwise ? s[3] : s[0]);
  std::vector<std::string> inputs;
  f.add_quantized(inputs, 0, Channels::first);
  inputs.push_back(f.w.constant(f.in(1).name, f.in(1).dtype, filter_shape(s, depthwise),
                                moved_filter(f.in(1), depthwise)));
  inputs.push_back(f.w.scale(f.in_id(1)));
  inputs.push_back(f.w.zero_point(f.in_id(1)));
  f.add_result(inputs);
  if (f.op.has_input(2)) inputs.push_back(bias_steps(f, channels));
  finish_quantized(f, Channels::first, a.activation, "QLinearConv", std::move(inputs),
                   std::move(attributes), "");
  return Ok{};
}

Status form_dense(const FormOp& f) {
  const auto& a = f.op.as<FullyConnectedAttrs>();
  const Shape& s = f.in(1).shape;
  if (!f.in(1).is_constant()) return f.refused("computed weights");
  const auto channels = static_cast<size_t>(s[0]);
  const std::string rows = f.w.integers("rows", {-1, s[1]});
  const std::string shape =
      f.w.integers("sizes", {f.out().shape.dims().begin(), f.out().shape.dims().end()});
  if (!f.has_bytes()) {
    const std::string x = f.w.node("Reshape", {f.w.read_real(f.in_id(0), Channels::last), rows});
    std::vector<std::string> inputs = {
        x, real_weights(f, s, [&](size_t i) { return i / static_cast<size_t>(s[1]); })};
    if (f.op.has_input(2)) inputs.push_back(real_bias(f, channels));
    const std::string sums = f.w.node("Gemm", std::move(inputs), {integer_attribute("transB", 1)});
    f.w.finish_real(f.out_id(), Channels::last,
                    activated(f, a.activation, f.w.node("Reshape", {sums, shape})));
    return Ok{};
  }
  std::vector<std::string> inputs = {
      f.w.node("Reshape", {f.w.read(f.in_id(0), Channels::last), rows}), f.w.scale(f.in_id(0)),
      f.w.zero_point(f.in_id(0))};
  f.add_quantized(inputs, 1, Channels::last);
  inputs.push_back(f.op.has_input(2) ? bias_steps(f, channels) : "");
  f.add_result(inputs);
  const std::string sums =
      f.w.node("QGemm", std::move(inputs), {integer_attribute("transB", 1)}, kMicrosoft);
  finish_quantized(f, Channels::last, a.activation, "Reshape", {sums, shape}, {}, "");
  return Ok{};
}

namespace {

// The second operand of a product with its elements in the order of its shape again, [K, N]: the
// chip's are column by column, or in blocks of columns.
Result<std::string> plain_operand(const FormOp& f, const std::string& stored) {
  const auto& a = f.op.as<MatMulAttrs>();
  const Shape& s = f.in(1).shape;
  const int64_t k = s.back(1), n = s.back(0);
  const int64_t block = a.rhs_order == MatMulAttrs::Order::columns ? 1 : a.block;
  if (a.rhs_order == MatMulAttrs::Order::rows) return stored;
  if (s.rank() < 2 || n % block != 0) return f.refused("a block of columns that is not whole");
  const std::string blocks = f.w.node(
      "Reshape", {stored, f.w.integers("blocks", {s.elements() / (k * n), n / block, k, block})});
  const std::string turned =
      f.w.node("Transpose", {blocks}, {integers_attribute("perm", {0, 2, 1, 3})});
  return f.w.node("Reshape", {turned, f.w.integers("sizes", {s.dims().begin(), s.dims().end()})});
}

}  // namespace

Status form_matmul(const FormOp& f) {
  const Activation activation = f.op.as<MatMulAttrs>().activation;
  if (f.in(1).is_constant()) return f.refused("a constant operand in an order of its own");
  if (f.has_bytes()) {
    std::vector<std::string> inputs;
    f.add_quantized(inputs, 0, Channels::last);
    f.add_quantized(inputs, 1, Channels::last);
    EDGETWIN_TRY_ASSIGN(inputs[3], plain_operand(f, inputs[3]));
    f.add_result(inputs);
    finish_quantized(f, Channels::last, activation, "QLinearMatMul", std::move(inputs), {}, "");
    return Ok{};
  }
  EDGETWIN_TRY_ASSIGN(const std::string right,
                      plain_operand(f, f.w.read_real(f.in_id(1), Channels::last)));
  const std::string sums = f.w.node("MatMul", {f.w.read_real(f.in_id(0), Channels::last), right});
  f.w.finish_real(f.out_id(), Channels::last, activated(f, activation, sums));
  return Ok{};
}

Status form_pool(const FormOp& f) {
  const auto& a = f.op.as<PoolAttrs>();
  const Shape &in = f.in(0).shape, &out = f.out().shape;
  if (in.rank() != 4 || out.rank() != 4) return f.refused("no picture");
  const bool whole = out[1] == 1 && out[2] == 1 &&
                     (a.filter_h == 0 || (a.filter_h == in[1] && a.filter_w == in[2]));
  const bool average = f.op.kind == OpKind::average_pool_2d;
  std::vector<Attribute> attributes = window_attributes(
      f, {a.filter_h == 0 ? in[1] : a.filter_h, a.filter_h == 0 ? in[2] : a.filter_w, a.stride_h,
          a.stride_w, 1, 1, a.padding});
  if (!average) {
    if (!f.has_bytes()) {
      const std::string most =
          f.w.node("MaxPool", {f.w.read_real(f.in_id(0), Channels::first)}, attributes);
      f.w.finish_real(f.out_id(), Channels::first, activated(f, a.activation, most));
      return Ok{};
    }
    finish_quantized(f, Channels::first, a.activation, "MaxPool",
                     {f.w.read(f.in_id(0), Channels::first)}, std::move(attributes), "");
    return Ok{};
  }
  if (!f.has_bytes()) return f.refused("an average of 16 bits");
  std::vector<std::string> inputs;
  f.add_quantized(inputs, 0, Channels::first);
  f.add_result(inputs);
  finish_quantized(f, Channels::first, a.activation,
                   whole ? "QLinearGlobalAveragePool" : "QLinearAveragePool", std::move(inputs),
                   whole ? std::vector<Attribute>{} : std::move(attributes), kMicrosoft);
  return Ok{};
}

}  // namespace edgetwin::bench

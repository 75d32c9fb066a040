#include <cmath>
#include <cstring>

#include "formats/onnx/import/fold.h"

namespace edgetwin::onnx {
namespace {

Result<std::vector<float>> channel_constant(Importer& m, const Node& n, size_t i,
                                            int64_t channels) {
  const Value* v = m.constant(n, i);
  if (v == nullptr) {
    return m.error(n, ErrorCode::onnx_reference,
                   "input " + std::to_string(i) + " must be a constant");
  }
  if (v->dtype != DType::float32 || v->shape.elements() != channels) {
    return m.error(n, ErrorCode::onnx_tensor,
                   "'" + v->name + "' is " + to_string(v->shape) + ", the input has " +
                       std::to_string(channels) + " channels");
  }
  std::vector<float> numbers(static_cast<size_t>(channels));
  std::memcpy(numbers.data(), v->constant->data(), numbers.size() * sizeof(float));
  return numbers;
}

Result<ScaleShift> scale_shift(Importer& m, const Node& n, int64_t channels) {
  ScaleShift s;
  EDGETWIN_TRY_ASSIGN(s.scale, channel_constant(m, n, 1, channels));
  EDGETWIN_TRY_ASSIGN(s.shift, channel_constant(m, n, 2, channels));
  EDGETWIN_TRY_ASSIGN(s.mean, channel_constant(m, n, 3, channels));
  EDGETWIN_TRY_ASSIGN(const std::vector<float> variance, channel_constant(m, n, 4, channels));
  const float epsilon = n.real("epsilon").value_or(1e-5F);
  for (size_t i = 0; i < s.scale.size(); ++i) s.scale[i] /= std::sqrt(variance[i] + epsilon);
  return s;
}

// (0 - mean) * scale + shift
std::vector<float> bias_alone(const ScaleShift& s) {
  std::vector<float> bias;
  for (size_t i = 0; i < s.scale.size(); ++i) {
    bias.push_back((0.0F - s.mean[i]) * s.scale[i] + s.shift[i]);
  }
  return bias;
}

// A depthwise convolution of one tap, which quantizers know what to do with.
Status as_convolution(Importer& m, const Node& n, ValueId x, const ScaleShift& s) {
  const auto channels = static_cast<int64_t>(s.scale.size());
  Op op = m.make(n, channels > 1 ? OpKind::depthwise_conv_2d : OpKind::conv_2d);
  Conv2DAttrs a;
  a.padding.kind = Padding::Kind::given;
  a.stride_h = a.stride_w = 1;
  a.depth_multiplier = channels > 1 ? 1 : 0;
  op.attrs = a;
  op.type = "Conv";
  Shape filter{channels, 1, 1};
  if (m.shape(x).rank() == 4) filter.push_back(1);
  op.inputs = {x, m.add_floats(n.outputs.at(0) + "/weight", filter, s.scale),
               m.add_floats(n.outputs.at(0) + "/bias", {channels}, bias_alone(s))};
  return m.finish(n, std::move(op));
}

Status as_arithmetic(Importer& m, const Node& n, ValueId x, const ScaleShift& s) {
  const auto channels = static_cast<int64_t>(s.scale.size());
  Shape shape{channels};
  for (int i = 2; i < m.shape(x).rank(); ++i) shape.push_back(1);
  Op mul = m.make(n, OpKind::mul);
  mul.inputs = {x, m.add_floats(n.outputs.at(0) + "/scale", shape, s.scale)};
  EDGETWIN_TRY_ASSIGN(const ValueId scaled, m.step(n, std::move(mul), "Mul"));
  Op add = m.make(n, OpKind::add);
  add.type = "Add";
  add.inputs = {scaled, m.add_floats(n.outputs.at(0) + "/shift", shape, bias_alone(s))};
  return m.finish(n, std::move(add));
}

}  // namespace

Result<bool> fold_batch_norm(Importer& m, const Node& n, const ScaleShift& s) {
  Op* op = m.sole_producer(n, 0);
  if (op == nullptr) return false;
  const bool weighs = op->kind == OpKind::conv_2d || op->kind == OpKind::depthwise_conv_2d ||
                      op->kind == OpKind::fully_connected;
  // Of a Gemm the channels are its last axis, which is where a batch norm looks in two dimensions.
  const bool flat = op->kind == OpKind::fully_connected && m.shape(op->outputs[0]).rank() != 2;
  if (!weighs || flat) return false;
  const Value& weight = m.value(op->inputs[1]);
  const size_t channels = s.scale.size();
  std::vector<float> w(static_cast<size_t>(weight.shape.elements()));
  std::memcpy(w.data(), weight.constant->data(), w.size() * sizeof(float));
  const size_t each = w.size() / channels;
  for (size_t i = 0; i < w.size(); ++i) w[i] *= s.scale[i / each];
  std::vector<float> bias = bias_alone(s);
  std::string bias_name = n.inputs.at(2);
  if (op->has_input(2)) {
    const Value& before = m.value(op->inputs[2]);
    const auto* b = reinterpret_cast<const float*>(before.constant->data());
    for (size_t i = 0; i < channels; ++i) bias[i] = (b[i] - s.mean[i]) * s.scale[i] + s.shift[i];
    bias_name = before.name;
  }
  const std::string name = weight.name;
  const Shape shape = weight.shape;
  const ValueId folded = m.add_floats(name, shape, w);
  const ValueId folded_bias = m.add_floats(bias_name, {static_cast<int64_t>(channels)}, bias);
  op->inputs = {op->inputs[0], folded, folded_bias};
  EDGETWIN_TRY(m.rename_output(n, *op));
  return true;
}

Status lower_batch_norm(Importer& m, const Node& n) {
  if (n.integer("training_mode").value_or(0) != 0) {
    return m.bad_attribute(n, "training_mode", "is on: export the network for inference");
  }
  EDGETWIN_TRY_ASSIGN(const ValueId x, m.input(n, 0));
  const Shape shape = m.shape(x);
  if (shape.rank() < 2 || m.value(x).dtype != DType::float32) {
    return m.error(n, ErrorCode::op_shape, "the input is " + to_string(shape));
  }
  EDGETWIN_TRY_ASSIGN(const ScaleShift s, scale_shift(m, n, shape[1]));
  Node one = n;
  one.outputs.resize(1);
  if (m.options().passes.fold_batch_norm) {
    EDGETWIN_TRY_ASSIGN(const bool folded, fold_batch_norm(m, one, s));
    if (folded) return Ok{};
  }
  if (shape.rank() == 3 || shape.rank() == 4) return as_convolution(m, one, x, s);
  return as_arithmetic(m, one, x, s);
}

}  // namespace edgetwin::onnx

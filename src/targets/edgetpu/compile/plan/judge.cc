// What can be said of an operator alone.
#include <cmath>

#include "targets/edgetpu/compile/plan/values.h"

namespace edgetwin::edgetpu::compiler {
namespace {

using Answer = std::optional<Refusal>;

Answer no(Rule rule, size_t op, std::string message) {
  return Refusal{rule, op, std::move(message)};
}

bool known_kind(OpKind kind) {
  switch (kind) {
    case OpKind::conv_2d:
    case OpKind::depthwise_conv_2d:
    case OpKind::fully_connected:
    case OpKind::add:
    case OpKind::sub:
    case OpKind::average_pool_2d:
    case OpKind::max_pool_2d:
    case OpKind::mean:
    case OpKind::reshape:
    case OpKind::squeeze:
    case OpKind::expand_dims:
    case OpKind::quantize:
    case OpKind::relu:
    case OpKind::relu6:
    case OpKind::relu_n1_to_1:
    case OpKind::logistic:
    case OpKind::tanh:
    case OpKind::concatenation:
    case OpKind::pad:
    case OpKind::split:
    case OpKind::slice:
    case OpKind::strided_slice:
    case OpKind::resize_bilinear:
    case OpKind::resize_nearest_neighbor:
    case OpKind::softmax:
      return true;
    default:
      return false;
  }
}

Answer check_value(const Graph& g, size_t op, ValueId id) {
  const Value& v = g.value(id);
  if (!is_byte(v.dtype)) {
    return no(Rule::data_type, op,
              "'" + v.name + "' has the type " + std::string(name(v.dtype)) +
                  "; the chip computes with int8 and uint8");
  }
  const bool plain = v.quant.scheme == Quant::Scheme::affine && v.quant.scale.size() == 1;
  if (!plain || !std::isfinite(v.quant.scale[0]) || v.quant.scale[0] <= 0.0F) {
    return no(Rule::data_type, op, "'" + v.name + "' has no scale of its own");
  }
  if (!v.has_shape || !v.shape.is_static() || v.shape.elements() <= 0) {
    return no(Rule::shape, op, "'" + v.name + "' has the shape " + to_string(v.shape));
  }
  return std::nullopt;
}

Answer check_weighted(const Source& s, size_t index) {
  const Graph& g = s.graph;
  const Op& op = g.ops[index];
  if (s.layers.contains(index)) return std::nullopt;
  return no(Rule::attributes, index,
            "its weights are no constants of one byte each with one scale, or one for each of " +
                std::to_string(g.value(op.outputs[0]).shape.back(0)) + " channels");
}

Answer check_activation(size_t op, Activation a) {
  const bool known = a == Activation::none || a == Activation::relu || a == Activation::relu6 ||
                     a == Activation::relu_n1_to_1;
  if (known) return std::nullopt;
  return no(Rule::attributes, op,
            "its activation " + std::string(name(a)) + " is no pair of limits");
}

// Outputs of a window along rows or columns; 0: it does not fit, or its numbers mean nothing.
int64_t outputs_of(int64_t size, const Padding& p, int around, int64_t kernel, int64_t stride,
                   int64_t dilation) {
  if (stride < 1 || dilation < 1 || kernel < 1) return 0;
  const int64_t reach = (kernel - 1) * dilation + 1;
  if (p.kind == Padding::Kind::same) return ceil_div(size, stride);
  const int64_t all = size + (p.kind == Padding::Kind::given ? around : 0);
  return all < reach ? 0 : (all - reach) / stride + 1;
}

struct Sizes {
  int64_t kernel, stride, dilation;
};
bool agrees(const Value& in, const Value& out, const Padding& p, const Sizes& y, const Sizes& x) {
  return out.shape[0] == 1 &&
         out.shape[1] ==
             outputs_of(in.shape[1], p, p.top + p.bottom, y.kernel, y.stride, y.dilation) &&
         out.shape[2] ==
             outputs_of(in.shape[2], p, p.left + p.right, x.kernel, x.stride, x.dilation);
}

Answer no_sizes(const Graph& g, size_t index) {
  const Op& op = g.ops[index];
  return no(Rule::shape, index,
            "its sizes " + to_string(g.value(op.inputs[0]).shape) + " and " +
                to_string(g.value(op.outputs[0]).shape) + " do not agree with the operator");
}

Answer check_window(const Source& s, size_t index) {
  const Graph& g = s.graph;
  const Op& op = g.ops[index];
  const Value& in = g.value(op.inputs[0]);
  const Value& out = g.value(op.outputs[0]);
  const auto& a = op.as<Conv2DAttrs>();
  if (auto r = check_activation(index, a.activation)) return r;
  if (in.shape.rank() != 4 || in.shape[0] != 1 || out.shape.rank() != 4) {
    return no(Rule::shape, index, "its input is " + to_string(in.shape) + ", not one picture");
  }
  if (auto r = check_weighted(s, index)) return r;
  const BlockShape& b = s.layers.at(index).shape;
  const int taken = b.kind == BlockKind::depthwise ? b.out : b.in;
  const bool channels = out.shape[3] == b.out && in.shape[3] == taken;
  if (!channels || !agrees(in, out, a.padding, {b.kernel_h, a.stride_h, a.dilation_h},
                           {b.kernel_w, a.stride_w, a.dilation_w})) {
    return no_sizes(g, index);
  }
  return std::nullopt;
}

Answer check_dense(const Source& s, size_t index) {
  const Graph& g = s.graph;
  const Op& op = g.ops[index];
  const Value& out = g.value(op.outputs[0]);
  if (auto r = check_activation(index, op.as<FullyConnectedAttrs>().activation)) return r;
  if (!is_vector(out)) {
    return no(Rule::shape, index, "its result is " + to_string(out.shape) + ", more than one row");
  }
  if (auto r = check_weighted(s, index)) return r;
  const BlockShape& b = s.layers.at(index).shape;
  const bool same = out.shape.elements() == b.out && g.value(op.inputs[0]).shape.elements() == b.in;
  return same ? std::nullopt : no_sizes(g, index);
}

Answer check_sum(const Graph& g, size_t index) {
  const Op& op = g.ops[index];
  const Value& a = g.value(op.inputs[0]);
  const Value& b = g.value(op.inputs[1]);
  if (auto r = check_activation(index, op.as<BinaryAttrs>().activation)) return r;
  if (a.is_constant() || b.is_constant()) {
    return no(Rule::attributes, index, "one of its operands is a constant");
  }
  const bool same = a.shape == b.shape && a.shape == g.value(op.outputs[0]).shape;
  if (!is_map(a) || !same) {
    return no(Rule::shape, index,
              "its operands are " + to_string(a.shape) + " and " + to_string(b.shape) +
                  ", not two pictures of one size");
  }
  return std::nullopt;
}

Answer check_join(const Graph& g, size_t index) {
  const Op& op = g.ops[index];
  const auto& a = op.as<ConcatAttrs>();
  if (auto r = check_activation(index, a.activation)) return r;
  const Value& out = g.value(op.outputs[0]);
  const int axis = a.axis < 0 ? a.axis + out.shape.rank() : a.axis;
  if (!is_map(out) || axis != 3) {
    return no(Rule::shape, index,
              "it joins " + to_string(out.shape) + " along axis " + std::to_string(axis) +
                  "; only channels of pictures are joined");
  }
  int64_t channels = 0;
  for (const ValueId id : op.inputs) {
    const Shape& in = g.value(id).shape;
    const bool same =
        in.rank() == 4 && in[0] == 1 && in[1] == out.shape[1] && in[2] == out.shape[2];
    channels += same ? in[3] : 0;
  }
  if (channels != out.shape[3]) return no_sizes(g, index);
  for (size_t k = 0; k < op.inputs.size(); ++k) {
    const Value& in = g.value(op.inputs[k]);
    if (in.is_constant()) return no(Rule::attributes, index, "one of its parts is a constant");
    if (auto r = check_value(g, index, op.inputs[k])) return r;
    if (k + 1 < op.inputs.size() && in.shape[3] % 4 != 0) {
      return no(Rule::shape, index,
                "its part " + std::to_string(k) + " has " + std::to_string(in.shape[3]) +
                    " channels, no multiple of 4");
    }
  }
  return std::nullopt;
}

Answer check_window_pool(const Graph& g, size_t index) {
  const Op& op = g.ops[index];
  const Value& in = g.value(op.inputs[0]);
  const Value& out = g.value(op.outputs[0]);
  const auto& a = op.as<PoolAttrs>();
  constexpr int64_t kMostChannels = 64;
  if (op.kind == OpKind::average_pool_2d && in.shape[3] > kMostChannels) {
    return no(Rule::attributes, index,
              "windows are averaged over up to 64 channels, it has " + std::to_string(in.shape[3]));
  }
  if (in.shape[3] != out.shape[3] ||
      !agrees(in, out, a.padding, {a.filter_h, a.stride_h, 1}, {a.filter_w, a.stride_w, 1})) {
    return no_sizes(g, index);
  }
  const Windows w =
      windows_of(in, out, a.padding, a.filter_h, a.filter_w, a.stride_h, a.stride_w, 1, 1);
  if (op.kind == OpKind::average_pool_2d && !inside(w, in)) {
    return no(Rule::attributes, index, "some of its windows reach over the edge of the picture");
  }
  const auto empty = [](const Window& v, int64_t size) {
    return v.front >= v.kernel || v.stride * (v.outputs - 1) - v.front >= size;
  };
  if (empty(w.y, in.shape[1]) || empty(w.x, in.shape[2])) {
    return no(Rule::attributes, index, "some of its windows have no position of the picture");
  }
  return check_activation(index, a.activation);
}

Answer check_pool(const Graph& g, size_t index) {
  const Op& op = g.ops[index];
  const Value& in = g.value(op.inputs[0]);
  const Value& out = g.value(op.outputs[0]);
  const bool windows = op.kind == OpKind::average_pool_2d && is_map(out);
  if (is_map(in) && (windows || op.kind == OpKind::max_pool_2d)) {
    return check_window_pool(g, index);
  }
  if (!is_map(in) || !is_vector(out) || out.shape.elements() != in.shape[3]) {
    return no(Rule::shape, index,
              "it goes from " + to_string(in.shape) + " to " + to_string(out.shape) +
                  "; only averages over whole pictures are compiled");
  }
  if (op.kind == OpKind::average_pool_2d) {
    const auto& a = op.as<PoolAttrs>();
    if (a.filter_h != in.shape[1] || a.filter_w != in.shape[2]) {
      return no(Rule::attributes, index,
                "its window is " + std::to_string(a.filter_h) + " x " + std::to_string(a.filter_w) +
                    ", the picture " + std::to_string(in.shape[1]) + " x " +
                    std::to_string(in.shape[2]));
    }
    if (auto r = check_activation(index, a.activation)) return r;
  }
  if (!pool_fits(in.shape[1], in.shape[2])) {
    return no(Rule::wide_memory, index,
              "its " + std::to_string(in.shape[1] * in.shape[2]) +
                  " positions take more than 1,000 lines");
  }
  return std::nullopt;
}

}  // namespace

Source::Source(const Graph& g) : graph(g) {
  for (ReferenceLayer& l : reference_layers(g)) {
    const size_t op = l.op;
    layers.emplace(op, std::move(l));
  }
}

std::optional<Refusal> refused(const Source& s, size_t index) {
  const Graph& g = s.graph;
  const Op& op = g.ops[index];
  if (!known_kind(op.kind)) {
    return no(Rule::operator_kind, index, op_type_name(op) + " has no instructions here yet");
  }
  for (const ValueId id : op.outputs) {
    if (auto r = check_value(g, index, id)) return r;
  }
  if (auto r = check_value(g, index, data_of(op))) return r;
  if (changes_nothing(g, op)) return std::nullopt;
  switch (op.kind) {
    case OpKind::conv_2d:
    case OpKind::depthwise_conv_2d:
      return check_window(s, index);
    case OpKind::fully_connected:
      return check_dense(s, index);
    case OpKind::add:
    case OpKind::sub:
      if (auto r = check_value(g, index, op.inputs[1])) return r;
      return check_sum(g, index);
    case OpKind::average_pool_2d:
    case OpKind::max_pool_2d:
    case OpKind::mean:
      return check_pool(g, index);
    case OpKind::concatenation:
      return check_join(g, index);
    case OpKind::split:
    case OpKind::slice:
    case OpKind::strided_slice:
      return check_part(g, index);
    case OpKind::resize_bilinear:
    case OpKind::resize_nearest_neighbor:
      return check_resize(g, index);
    case OpKind::softmax:
      return check_softmax(g, index);
    case OpKind::pad:
      if (space_pad(g, op)) return std::nullopt;
      return no(Rule::attributes, index,
                "only rows and columns are padded, and only for convolutions");
    case OpKind::quantize:
    case OpKind::relu:
    case OpKind::relu6:
    case OpKind::relu_n1_to_1:
    case OpKind::logistic:
    case OpKind::tanh:
      if (is_map(g.value(op.inputs[0])) &&
          g.value(op.inputs[0]).shape == g.value(op.outputs[0]).shape) {
        return std::nullopt;
      }
      return no(Rule::shape, index,
                "its input is " + to_string(g.value(op.inputs[0]).shape) + ", not one picture");
    default:
      return no(Rule::attributes, index, "it changes the scale, which only QUANTIZE may do");
  }
}

}  // namespace edgetwin::edgetpu::compiler

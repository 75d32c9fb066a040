// What can be said of an operator alone.
#include <cmath>

#include "targets/edgetpu/compile/judge/judge.h"

namespace edgetwin::edgetpu::compiler {
namespace {

bool known_kind(OpKind kind) {
  switch (kind) {
    case OpKind::conv_2d:
    case OpKind::depthwise_conv_2d:
    case OpKind::fully_connected:
    case OpKind::add:
    case OpKind::sub:
    case OpKind::mul:
    case OpKind::average_pool_2d:
    case OpKind::max_pool_2d:
    case OpKind::mean:
    case OpKind::sum:
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
    case OpKind::transpose:
    case OpKind::tile:
    case OpKind::split:
    case OpKind::slice:
    case OpKind::strided_slice:
    case OpKind::resize_bilinear:
    case OpKind::resize_nearest_neighbor:
    case OpKind::softmax:
    case OpKind::transpose_conv:
    case OpKind::pack:
    case OpKind::space_to_depth:
    case OpKind::depth_to_space:
    case OpKind::maximum:
    case OpKind::minimum:
    case OpKind::unidirectional_sequence_lstm:
      return true;
    default:
      return false;
  }
}

Answer check_weighted(const Source& s, size_t index) {
  const Graph& g = s.graph;
  const Op& op = g.ops[index];
  if (s.layers.contains(index)) return std::nullopt;
  return no(Rule::attributes, index,
            "its weights are no constants of one byte each with one scale, or one for each of " +
                std::to_string(g.value(op.outputs[0]).shape.back(0)) + " channels");
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
  if (auto r = check_weighted(s, index)) return r;
  const BlockShape& b = s.layers.at(index).shape;
  if (!is_vector(out)) {
    const auto from = picture_of(g.value(op.inputs[0])), to = picture_of(out);
    const bool rows = from && to && from->rows == to->rows && from->columns == to->columns &&
                      from->channels == b.in && to->channels == b.out;
    if (rows) return std::nullopt;
    return no(Rule::shape, index,
              "it makes " + to_string(out.shape) + " of " + to_string(g.value(op.inputs[0]).shape) +
                  "; its rows are not those of its input");
  }
  const bool same = out.shape.elements() == b.out && g.value(op.inputs[0]).shape.elements() == b.in;
  return same ? std::nullopt : no_sizes(g, index);
}

}  // namespace

Source::Source(const Graph& g, Style how)
    : graph(g),
      style(how == Style::vendor_17 ? Style::vendor : how),
      counts_moves(how == Style::vendor_17) {
  for (ReferenceLayer& l : reference_layers(g)) {
    const size_t op = l.op;
    layers.emplace(op, std::move(l));
  }
  for (ReferenceLayer& l : made_layers(g)) {
    const size_t op = l.op;
    layers.insert_or_assign(op, std::move(l));
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
  if (op.kind != OpKind::mul && !takes_constant(g, op, 0) && g.value(data_of(op)).is_constant()) {
    return no(Rule::attributes, index, "its input is a constant");
  }
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
    case OpKind::mul:
      for (const ValueId id : op.inputs) {
        if (auto r = check_value(g, index, id)) return r;
      }
      return check_product(g, index);
    case OpKind::average_pool_2d:
    case OpKind::max_pool_2d:
    case OpKind::mean:
    case OpKind::sum:
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
    case OpKind::transpose_conv:
      return check_transposed(s, index);
    case OpKind::pack:
      return check_pack(g, index);
    case OpKind::space_to_depth:
    case OpKind::depth_to_space:
      return check_blocks(g, index);
    case OpKind::maximum:
    case OpKind::minimum:
      return check_extreme(g, index);
    case OpKind::unidirectional_sequence_lstm:
      return check_recurrent(g, index);
    case OpKind::pad:
      return check_pad(g, index);
    case OpKind::transpose:
      return check_transpose(g, index);
    case OpKind::tile:
      return check_tile(g, index);
    case OpKind::quantize:
    case OpKind::relu:
    case OpKind::relu6:
    case OpKind::relu_n1_to_1:
    case OpKind::logistic:
    case OpKind::tanh:
      return check_elements(g, index);
    default:
      return no(Rule::attributes, index, "it changes the scale, which only QUANTIZE may do");
  }
}

}  // namespace edgetwin::edgetpu::compiler

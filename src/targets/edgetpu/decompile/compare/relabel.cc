#include "targets/edgetpu/decompile/compare/relabel.h"

#include <limits>

#include "graph/constants.h"
#include "numerics/edgetpu/elementwise.h"

namespace edgetwin::edgetpu {
namespace {

bool moves_only(OpKind kind) {
  switch (kind) {
    case OpKind::reshape:
    case OpKind::squeeze:
    case OpKind::expand_dims:
    case OpKind::pad:
    case OpKind::quantize:
    case OpKind::concatenation:
    case OpKind::split:
    case OpKind::slice:
    case OpKind::strided_slice:
    case OpKind::tile:
    case OpKind::resize_nearest_neighbor:
    case OpKind::pack:
    case OpKind::transpose:
    case OpKind::space_to_depth:
    case OpKind::depth_to_space:
    case OpKind::gather:
      return true;
    default:
      return false;
  }
}

// To the same size, or from one position to all of a picture, as TILE does.
bool resizes_nothing(const Graph& graph, const Op& op) {
  if (op.kind != OpKind::resize_bilinear && op.kind != OpKind::resize_nearest_neighbor) {
    return false;
  }
  const Shape& in = graph.value(op.inputs[0]).shape;
  const Shape& out = graph.value(op.outputs[0]).shape;
  return in == out || (in.rank() == 4 && in[1] == 1 && in[2] == 1);
}

template <class T>
bool every_byte_stays(const numerics::BinarySpec& spec) {
  const auto rule = numerics::edgetpu::Binary<T>::make(spec);
  if (!rule.ok()) return false;
  const T number = static_cast<T>(*spec.b_number);
  for (int q = std::numeric_limits<T>::min(); q <= std::numeric_limits<T>::max(); ++q) {
    if ((*rule)(static_cast<T>(q), number) != q) return false;
  }
  return true;
}

}  // namespace

numerics::RealRange real_range(Activation a) {
  constexpr float kEndless = std::numeric_limits<float>::infinity();
  if (a == Activation::relu) return {0.0F, kEndless};
  if (a == Activation::relu6) return {0.0F, 6.0F};
  if (a == Activation::relu_n1_to_1) return {-1.0F, 1.0F};
  return {-kEndless, kEndless};
}

Activation activation_of(const Op& op) {
  if (op.kind == OpKind::relu) return Activation::relu;
  if (op.kind == OpKind::relu6) return Activation::relu6;
  if (op.kind == OpKind::relu_n1_to_1) return Activation::relu_n1_to_1;
  if (const auto* a = std::get_if<Conv2DAttrs>(&op.attrs)) return a->activation;
  if (const auto* a = std::get_if<TransposeConvAttrs>(&op.attrs)) return a->activation;
  if (const auto* a = std::get_if<BinaryAttrs>(&op.attrs)) return a->activation;
  if (const auto* a = std::get_if<PoolAttrs>(&op.attrs)) return a->activation;
  if (const auto* a = std::get_if<FullyConnectedAttrs>(&op.attrs)) return a->activation;
  return Activation::none;
}

bool rescales(const Op& op) {
  return op.kind == OpKind::quantize || op.kind == OpKind::relu || op.kind == OpKind::relu6 ||
         op.kind == OpKind::relu_n1_to_1;
}

std::optional<numerics::BinarySpec> with_number(const Graph& graph, const Op& op) {
  const bool binary = op.kind == OpKind::add || op.kind == OpKind::sub || op.kind == OpKind::mul;
  if (!binary || op.inputs.size() != 2) return std::nullopt;
  // Which of the two comes first matters to a difference alone.
  const bool turned = op.kind != OpKind::sub && graph.value(op.inputs[0]).is_constant();
  const Value& a = graph.value(op.inputs[turned ? 1 : 0]);
  const Value& b = graph.value(op.inputs[turned ? 0 : 1]);
  const auto number = only_number(b);
  if (!number || a.dtype != b.dtype) return std::nullopt;
  numerics::BinarySpec spec;
  spec.kind = op.kind == OpKind::add   ? numerics::BinaryKind::add
              : op.kind == OpKind::sub ? numerics::BinaryKind::sub
                                       : numerics::BinaryKind::mul;
  spec.a = a.quant;
  spec.b = b.quant;
  spec.out = graph.value(op.outputs[0]).quant;
  spec.range = real_range(activation_of(op));
  spec.b_number = number;
  return spec;
}

bool keeps_bytes(const Graph& graph, const Op& op) {
  if (moves_only(op.kind) || resizes_nothing(graph, op)) return true;
  const auto spec = with_number(graph, op);
  if (!spec) return false;
  return graph.value(op.inputs[0]).dtype == DType::uint8 ? every_byte_stays<uint8_t>(*spec)
                                                         : every_byte_stays<int8_t>(*spec);
}

}  // namespace edgetwin::edgetpu

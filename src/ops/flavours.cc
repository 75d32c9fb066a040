#include "ops/flavours.h"

#include <array>

#include "ops/instantiate.h"

namespace edgetwin::ops {
namespace {

Result<Prepared> unknown(const OpContext& c) {
  return c.error(ErrorCode::op_unsupported, op_type_name(c.op()) + " is not implemented");
}

// Which function prepares which operator. The switch has no default: a new row of op.def does not
// compile until it has a decision here.
template <class F>
Result<Prepared> prepare(const OpContext& c) {
  switch (c.op().kind) {
    case OpKind::add:
    case OpKind::sub:
    case OpKind::mul:
      return prepare_binary<F>(c);
    case OpKind::average_pool_2d:
    case OpKind::max_pool_2d:
      return prepare_pool<F>(c);
    case OpKind::concatenation:
      return prepare_concatenation<F>(c);
    case OpKind::conv_2d:
      return prepare_conv_2d<F>(c);
    case OpKind::depthwise_conv_2d:
      return prepare_depthwise_conv_2d<F>(c);
    case OpKind::depth_to_space:
      return prepare_depth_to_space(c);
    case OpKind::dequantize:
      return prepare_dequantize(c);
    case OpKind::fully_connected:
      return prepare_fully_connected<F>(c);
    case OpKind::l2_normalization:
      return prepare_l2_normalization<F>(c);
    case OpKind::logistic:
    case OpKind::tanh:
    case OpKind::relu:
    case OpKind::relu_n1_to_1:
    case OpKind::relu6:
    case OpKind::hard_swish:
      return prepare_unary<F>(c);
    case OpKind::reshape:
    case OpKind::squeeze:
    case OpKind::expand_dims:
      return prepare_reshape(c);
    case OpKind::resize_bilinear:
      return prepare_resize_bilinear<F>(c);
    case OpKind::softmax:
      return prepare_softmax<F>(c);
    case OpKind::space_to_depth:
      return prepare_space_to_depth(c);
    case OpKind::pad:
    case OpKind::padv2:
      return prepare_pad(c);
    case OpKind::gather:
      return prepare_gather(c);
    case OpKind::transpose:
      return prepare_transpose(c);
    case OpKind::mean:
    case OpKind::sum:
      return prepare_reduce<F>(c);
    case OpKind::div:
      return prepare_div(c);
    case OpKind::unidirectional_sequence_lstm:
      return prepare_lstm<F>(c);
    case OpKind::strided_slice:
      return prepare_strided_slice(c);
    case OpKind::split:
      return prepare_split(c);
    case OpKind::cast:
      return prepare_cast(c);
    case OpKind::maximum:
    case OpKind::minimum:
      return prepare_min_max(c);
    case OpKind::arg_max:
      return prepare_arg_max(c);
    case OpKind::slice:
      return prepare_slice(c);
    case OpKind::transpose_conv:
      return prepare_transpose_conv<F>(c);
    case OpKind::sqrt:
    case OpKind::rsqrt:
      return prepare_float_unary(c);
    case OpKind::shape:
      return prepare_shape(c);
    case OpKind::pack:
      return prepare_pack(c);
    case OpKind::unpack:
      return prepare_unpack(c);
    case OpKind::floor_div:
      return prepare_floor_div(c);
    case OpKind::resize_nearest_neighbor:
      return prepare_resize_nearest_neighbor(c);
    case OpKind::squared_difference:
      return prepare_squared_difference(c);
    case OpKind::gather_nd:
      return prepare_gather_nd(c);
    case OpKind::quantize:
      return prepare_quantize<F>(c);
    case OpKind::detection_postprocess:
      return prepare_detection_postprocess(c);
    case OpKind::posenet_decoder:
      return prepare_posenet_decoder(c);
    case OpKind::opaque:
      return unknown(c);
  }
  return unknown(c);
}

// Required operands must be there; each prepare function looks at optional ones itself.
template <class F>
Result<Prepared> prepare_checked(const OpContext& c) {
  for (size_t i = 0; i < static_cast<size_t>(info(c.op().kind).inputs.min); ++i) {
    const bool lstm = c.op().kind == OpKind::unidirectional_sequence_lstm;
    if (!lstm && c.op().kind != OpKind::opaque && !c.has_input(i)) {
      return c.error(ErrorCode::graph_arity, "operand " + std::to_string(i) + " is absent");
    }
  }
  return prepare<F>(c);
}

// "tflite_single" of the table is "tflite-single" on the command line.
template <size_t N>
constexpr std::array<char, N> with_dashes(const char (&text)[N]) {
  std::array<char, N> out{};
  for (size_t i = 0; i < N; ++i) out[i] = text[i] == '_' ? '-' : text[i];
  return out;
}

#define FLAVOUR(name, type, summary) constexpr auto k_##name = with_dashes(#name);
#include "ops/flavours.def"
#undef FLAVOUR

const std::array kRows = {
#define FLAVOUR(name, type, summary) \
  FlavourInfo{std::string_view(k_##name.data()), summary, prepare_checked<type>},
#include "ops/flavours.def"
#undef FLAVOUR
};

}  // namespace

std::span<const FlavourInfo> flavours() { return kRows; }

const FlavourInfo* find_flavour(std::string_view name) {
  for (const FlavourInfo& row : kRows) {
    if (row.name == name) return &row;
  }
  return nullptr;
}

}  // namespace edgetwin::ops

// The operators of TensorFlow Lite.
#include "ops/core/instantiate.h"
#include "ops/decoders/prepare.h"
#include "ops/elementwise/prepare.h"
#include "ops/movement/prepare.h"
#include "ops/recurrent/prepare.h"
#include "ops/reduce/prepare.h"
#include "ops/registry/flavours.h"
#include "ops/registry/prepare.h"
#include "ops/window/prepare.h"

namespace edgetwin::ops {
namespace {

Result<Prepared> unknown(const OpContext& c) {
  return c.error(ErrorCode::op_unsupported,
                 op_type_name(c.op()) + " is not implemented in this arithmetic");
}

}  // namespace

// Which function prepares which operator. A kind that is not here is refused.
template <class F>
Result<Prepared> prepare_tflite(const OpContext& c) {
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
    default:  // operators of ONNX and ESP-DL, and opaque ones
      return unknown(c);
  }
  return unknown(c);
}

EDGETWIN_FOR_EACH_TFLITE(prepare_tflite)

}  // namespace edgetwin::ops

// The operators of ESP-DL.
#include "ops/flavours.h"
#include "ops/instantiate.h"

namespace edgetwin::ops {
namespace {

Result<Prepared> unknown(const OpContext& c) {
  return c.error(ErrorCode::op_unsupported,
                 op_type_name(c.op()) + " is no operator of ESP-DL's runtime");
}

}  // namespace

// Which function prepares which operator. A kind that is not here is refused.
template <class F>
Result<Prepared> prepare_espdl(const OpContext& c) {
  switch (c.op().kind) {
    case OpKind::add:
    case OpKind::sub:
    case OpKind::mul:
    case OpKind::div:
    case OpKind::pow:
    case OpKind::mod:
      return prepare_binary<F>(c);
    case OpKind::equal:
    case OpKind::greater:
    case OpKind::greater_equal:
    case OpKind::less:
    case OpKind::less_equal:
      return prepare_compare(c);
    case OpKind::average_pool_2d:
    case OpKind::max_pool_2d:
      return prepare_pool<F>(c);
    case OpKind::concatenation:
      return prepare_raw_concatenation(c);
    case OpKind::conv_2d:
      return prepare_conv_2d<F>(c);
    case OpKind::depthwise_conv_2d:
      return prepare_depthwise_conv_2d<F>(c);
    case OpKind::fully_connected:
      return prepare_fully_connected<F>(c);
    case OpKind::matmul:
      return prepare_matmul<F>(c);
    case OpKind::depth_to_space:
      return prepare_depth_to_space_of_onnx(c);
    case OpKind::space_to_depth:
      return prepare_space_to_depth_of_onnx(c);
    case OpKind::insert_zeros:
      return prepare_insert_zeros(c);
    case OpKind::quantize:
    case OpKind::dequantize:
    case OpKind::identity:
      return prepare_assign<F>(c);
    case OpKind::relu:
    case OpKind::leaky_relu:
    case OpKind::elu:
    case OpKind::logistic:
    case OpKind::tanh:
    case OpKind::swish:
    case OpKind::hard_sigmoid:
    case OpKind::hard_swish:
    case OpKind::exp:
    case OpKind::log:
    case OpKind::sqrt:
    case OpKind::neg:
      return prepare_unary<F>(c);
    case OpKind::gelu:
    case OpKind::lut:
      return prepare_lut<F>(c);
    case OpKind::clip:
      return prepare_clip<F>(c);
    case OpKind::prelu:
      return prepare_prelu<F>(c);
    case OpKind::softmax:
    case OpKind::log_softmax:
      return prepare_softmax<F>(c);
    case OpKind::layer_norm:
    case OpKind::rms_norm:
    case OpKind::lp_norm:
      return prepare_norm<F>(c);
    case OpKind::reduce_max:
    case OpKind::reduce_min:
    case OpKind::reduce_prod:
    case OpKind::reduce_l1:
    case OpKind::reduce_l2:
    case OpKind::reduce_log_sum:
    case OpKind::reduce_log_sum_exp:
    case OpKind::reduce_sum_square:
    case OpKind::reduce_sum:
    case OpKind::reduce_mean:
      return prepare_reduce<F>(c);
    case OpKind::resize:
      return prepare_resize<F>(c);
    case OpKind::reshape:
    case OpKind::squeeze:
    case OpKind::unsqueeze:
    case OpKind::flatten:
      return prepare_reshape(c);
    case OpKind::transpose:
      return prepare_transpose(c);
    case OpKind::gather:
      return prepare_gather(c);
    case OpKind::split_sizes:
      return prepare_split_sizes(c);
    case OpKind::border_pad:
      return prepare_border_pad(c);
    case OpKind::slice_steps:
      return prepare_slice_steps(c);
    case OpKind::scatter_nd:
      return prepare_scatter_nd(c);
    case OpKind::reverse_sequence:
      return prepare_reverse_sequence(c);
    case OpKind::streaming_cache:
      return prepare_streaming_cache(c);
    case OpKind::gru:
    case OpKind::lstm:
      return prepare_recurrent<F>(c);
    default:
      return unknown(c);
  }
}

EDGETWIN_FOR_EACH_ESPDL(prepare_espdl)

}  // namespace edgetwin::ops

// The operators of ONNX networks in float32.
#include "ops/checks.h"
#include "ops/flavours.h"
#include "ops/instantiate.h"
#include "ops/onnx_recurrent.h"

namespace edgetwin::ops {
namespace {

Result<Prepared> unknown(const OpContext& c) {
  return c.error(ErrorCode::op_unsupported,
                 op_type_name(c.op()) + " cannot be computed in the arithmetic of ONNX networks");
}

// Elements pass as they are.
Result<Prepared> prepare_identity(const OpContext& c) {
  EDGETWIN_TRY(checks::operands(c, 1));
  return checks::moved_whole(c, c.input_shape(0));
}

}  // namespace

// Which function prepares which operator. A kind that is not here is refused.
template <class F>
Result<Prepared> prepare_onnx(const OpContext& c) {
  switch (c.op().kind) {
    case OpKind::add:
    case OpKind::sub:
    case OpKind::mul:
    case OpKind::div:
    case OpKind::pow:
    case OpKind::mod:
      return prepare_binary<F>(c);
    case OpKind::maximum:
    case OpKind::minimum:
      return prepare_min_max(c);
    case OpKind::equal:
    case OpKind::greater:
    case OpKind::greater_equal:
    case OpKind::less:
    case OpKind::less_equal:
      return prepare_compare(c);
    case OpKind::conv_2d:
    case OpKind::depthwise_conv_2d:
      return onnx::prepare_conv(c);
    case OpKind::fully_connected:
      return onnx::prepare_gemm(c);
    case OpKind::matmul:
      return onnx::prepare_matmul(c);
    case OpKind::average_pool_2d:
    case OpKind::max_pool_2d:
      return onnx::prepare_pool(c);
    case OpKind::relu:
    case OpKind::leaky_relu:
    case OpKind::elu:
    case OpKind::logistic:
    case OpKind::tanh:
    case OpKind::swish:
    case OpKind::hard_sigmoid:
    case OpKind::hard_swish:
    case OpKind::gelu:
    case OpKind::exp:
    case OpKind::log:
    case OpKind::sqrt:
    case OpKind::neg:
      return prepare_unary<F>(c);
    case OpKind::clip:
      return onnx::prepare_clip(c);
    case OpKind::prelu:
      return onnx::prepare_prelu(c);
    case OpKind::softmax:
    case OpKind::log_softmax:
      return prepare_softmax<F>(c);
    case OpKind::layer_norm:
    case OpKind::rms_norm:
    case OpKind::lp_norm:
      return onnx::prepare_norm(c);
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
      return onnx::prepare_resize(c);
    case OpKind::depth_to_space:
      return onnx::prepare_depth_to_space(c);
    case OpKind::space_to_depth:
      return onnx::prepare_space_to_depth(c);
    case OpKind::insert_zeros:
      return onnx::prepare_insert_zeros(c);
    case OpKind::concatenation:
      return prepare_raw_concatenation(c);
    case OpKind::identity:
      return prepare_identity(c);
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
    case OpKind::cast:
      return prepare_cast(c);
    case OpKind::gru:
    case OpKind::lstm:
      return onnx::prepare_recurrent(c);
    default:
      return unknown(c);
  }
}

EDGETWIN_FOR_EACH_ONNX(prepare_onnx)

}  // namespace edgetwin::ops

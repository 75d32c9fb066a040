// The operators of ESP-DL.
#include "ops/core/instantiate.h"
#include "ops/elementwise/prepare.h"
#include "ops/movement/prepare.h"
#include "ops/recurrent/prepare.h"
#include "ops/reduce/prepare.h"
#include "ops/registry/flavours.h"
#include "ops/registry/onnx_family.h"
#include "ops/registry/prepare.h"
#include "ops/window/prepare.h"

namespace edgetwin::ops {
// Which function prepares which operator. A kind that is not here is refused.
template <class F>
Result<Prepared> prepare_espdl(const OpContext& c) {
  switch (c.op().kind) {
    case OpKind::average_pool_2d:
    case OpKind::max_pool_2d:
      return prepare_pool<F>(c);
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
    case OpKind::gelu:
    case OpKind::lut:
      return prepare_lut<F>(c);
    case OpKind::clip:
      return prepare_clip<F>(c);
    case OpKind::prelu:
      return prepare_prelu<F>(c);
    case OpKind::layer_norm:
    case OpKind::rms_norm:
    case OpKind::lp_norm:
      return prepare_norm<F>(c);
    case OpKind::resize:
      return prepare_resize<F>(c);
    case OpKind::streaming_cache:
      return prepare_streaming_cache(c);
    case OpKind::gru:
    case OpKind::lstm:
      return prepare_recurrent<F>(c);
    default:
      return prepare_onnx_family<F>(c, "is no operator of ESP-DL's runtime");
  }
}

EDGETWIN_FOR_EACH_ESPDL(prepare_espdl)

}  // namespace edgetwin::ops

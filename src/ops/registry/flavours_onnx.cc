// The operators of ONNX networks in float32.
#include "ops/core/checks.h"
#include "ops/core/instantiate.h"
#include "ops/elementwise/prepare.h"
#include "ops/onnx/prepare.h"
#include "ops/reduce/prepare.h"
#include "ops/registry/flavours.h"
#include "ops/registry/onnx_family.h"
#include "ops/registry/prepare.h"

namespace edgetwin::ops {
namespace {

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
    case OpKind::maximum:
    case OpKind::minimum:
      return prepare_min_max(c);
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
    case OpKind::gelu:
      return prepare_unary<F>(c);
    case OpKind::clip:
      return onnx::prepare_clip(c);
    case OpKind::prelu:
      return onnx::prepare_prelu(c);
    case OpKind::layer_norm:
    case OpKind::rms_norm:
    case OpKind::lp_norm:
      return onnx::prepare_norm(c);
    case OpKind::resize:
      return onnx::prepare_resize(c);
    case OpKind::depth_to_space:
      return onnx::prepare_depth_to_space(c);
    case OpKind::space_to_depth:
      return onnx::prepare_space_to_depth(c);
    case OpKind::insert_zeros:
      return onnx::prepare_insert_zeros(c);
    case OpKind::identity:
      return prepare_identity(c);
    case OpKind::cast:
      return prepare_cast(c);
    case OpKind::gru:
    case OpKind::lstm:
      return onnx::prepare_recurrent(c);
    default:
      return prepare_onnx_family<F>(c, "cannot be computed in the arithmetic of ONNX networks");
  }
}

EDGETWIN_FOR_EACH_ONNX(prepare_onnx)

}  // namespace edgetwin::ops

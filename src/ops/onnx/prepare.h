// Operators of ONNX networks in float32, whose channels come before the axes of the picture.
#pragma once

#include "ops/core/kernel.h"

namespace edgetwin::ops::onnx {

[[gnu::cold]] Result<Prepared> prepare_conv(const OpContext& c);  // also depthwise
[[gnu::cold]] Result<Prepared> prepare_gemm(const OpContext& c);
[[gnu::cold]] Result<Prepared> prepare_matmul(const OpContext& c);
[[gnu::cold]] Result<Prepared> prepare_pool(const OpContext& c);
[[gnu::cold]] Result<Prepared> prepare_resize(const OpContext& c);
[[gnu::cold]] Result<Prepared> prepare_identity(const OpContext& c);
[[gnu::cold]] Result<Prepared> prepare_clip(const OpContext& c);
[[gnu::cold]] Result<Prepared> prepare_prelu(const OpContext& c);
[[gnu::cold]] Result<Prepared> prepare_norm(const OpContext& c);
[[gnu::cold]] Result<Prepared> prepare_depth_to_space(const OpContext& c);
[[gnu::cold]] Result<Prepared> prepare_space_to_depth(const OpContext& c);
[[gnu::cold]] Result<Prepared> prepare_insert_zeros(const OpContext& c);
[[gnu::cold]] Result<Prepared> prepare_recurrent(const OpContext& c);  // gru lstm

}  // namespace edgetwin::ops::onnx

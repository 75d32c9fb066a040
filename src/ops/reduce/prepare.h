// Operators that sum, compare or normalize along axes.
#pragma once

#include "ops/core/kernel.h"

namespace edgetwin::ops {

template <class F>
[[gnu::cold]] Result<Prepared> prepare_reduce(
    const OpContext& c);  // MEAN SUM, of ESP-DL and ONNX reduce_*
template <class F>
[[gnu::cold]] Result<Prepared> prepare_softmax(const OpContext& c);       // also log_softmax
[[gnu::cold]] Result<Prepared> prepare_chip_softmax(const OpContext& c);  // of the Edge TPU
template <class F>
[[gnu::cold]] Result<Prepared> prepare_l2_normalization(const OpContext& c);
template <class F>
[[gnu::cold]] Result<Prepared> prepare_norm(const OpContext& c);  // layer_norm rms_norm lp_norm
[[gnu::cold]] Result<Prepared> prepare_arg_max(const OpContext& c);

}  // namespace edgetwin::ops

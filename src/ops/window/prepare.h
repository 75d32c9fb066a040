// Operators that walk windows over pictures, and products of matrices, which are their case of one
// pixel.
#pragma once

#include "ops/core/kernel.h"

namespace edgetwin::ops {

template <class F>
[[gnu::cold]] Result<Prepared> prepare_conv_2d(const OpContext& c);
template <class F>
[[gnu::cold]] Result<Prepared> prepare_depthwise_conv_2d(const OpContext& c);
template <class F>
[[gnu::cold]] Result<Prepared> prepare_transpose_conv(const OpContext& c);
template <class F>
[[gnu::cold]] Result<Prepared> prepare_fully_connected(const OpContext& c);
template <class F>
[[gnu::cold]] Result<Prepared> prepare_matmul(
    const OpContext& c);  // of ESP-DL: a computed second operand
template <class F>
[[gnu::cold]] Result<Prepared> prepare_pool(const OpContext& c);  // average and maximum
template <class F>
[[gnu::cold]] Result<Prepared> prepare_resize_bilinear(const OpContext& c);
template <class F>
[[gnu::cold]] Result<Prepared> prepare_resize(const OpContext& c);  // of ESP-DL
[[gnu::cold]] Result<Prepared> prepare_resize_nearest_neighbor(const OpContext& c);

}  // namespace edgetwin::ops

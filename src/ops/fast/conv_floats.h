// Where a fast kernel may stand in for the plain walk of convolutions and fully connected layers in
// single precision: the lanes are output channels, so that every sum keeps its order.
#pragma once

#include "numerics/plain/float32.h"
#include "ops/core/kernel.h"
#include "tensor/window.h"

namespace edgetwin::ops {

// Fills run and path of `prepared` and returns true if a kernel takes the layer: constant weights
// without infinity and NaN, and of depthwise layers one output per channel.
bool make_fast_conv(const OpContext& c, const numerics::float32::Accumulate& rule,
                    const Window2D& window, bool depthwise, Prepared& prepared);

}  // namespace edgetwin::ops

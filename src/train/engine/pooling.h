// Pooling and its gradients. Specification: training, 2, 3.
#pragma once

#include "train/engine/convolution.h"
#include "train/engine/maps.h"

namespace edgetwin::train {

struct PoolWindow {
  Pair size, stride, dilation;
  Pair output_of(Pair input) const;
};

// The largest value of each window.
Maps max_pool(const Maps& input, const PoolWindow& window, ThreadPool& pool);
// All of a gradient goes to the first largest value in row-major order.
Maps max_pool_gradient(const Maps& input, const Maps& gradient, const PoolWindow& window,
                       ThreadPool& pool);

// The sum of each window in row-major order, divided by its size: not multiplied by a reciprocal,
// which would fall below exact integers.
Maps average_pool(const Maps& input, const PoolWindow& window, ThreadPool& pool);
// The n-th part of a gradient goes to each of n values. `size` of the input.
Maps average_pool_gradient(const Maps& gradient, const PoolWindow& window, Pair size,
                           ThreadPool& pool);

}  // namespace edgetwin::train

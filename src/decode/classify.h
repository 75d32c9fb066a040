// The best classes of a classifier's output.
#pragma once

#include <cstdint>
#include <vector>

#include "tensor/tensor.h"

namespace edgetwin::decode {

struct RankedClass {
  int64_t index = 0;
  double score = 0.0;  // in real numbers, where the tensor is quantized
};

// True where all elements are along the last dimension, and there are at least two.
bool is_classification(const Tensor& tensor);

// The best `count`, ties by lower index.
std::vector<RankedClass> best_classes(const Tensor& tensor, size_t count);

}  // namespace edgetwin::decode

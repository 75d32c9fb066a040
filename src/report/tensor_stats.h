// The values of a tensor at a glance.
#pragma once

#include <cstdint>
#include <vector>

#include "report/json.h"
#include "tensor/tensor.h"

namespace edgetwin::report {

struct TensorStats {
  static constexpr int kBins = 64;

  int64_t elements = 0;
  int64_t not_finite = 0;
  double min = 0, max = 0, mean = 0;  // of the finite values; 0 where there are none
  // Elements at the lowest and the highest value of a quantized type of up to 16 bits; -1 where
  // saturation has no meaning.
  int64_t at_low = -1, at_high = -1;
  // Finite values from `histogram_low` to `histogram_high` in equal steps: the whole range of 8-bit
  // types, and from min to max otherwise.
  double histogram_low = 0, histogram_high = 0;
  std::vector<int64_t> histogram;
};

TensorStats tensor_stats(const Tensor& tensor);

// Share of saturated elements, 0 to 1.
double saturated_share(const TensorStats& stats);

Json to_json(const TensorStats& stats, bool with_histogram);

}  // namespace edgetwin::report

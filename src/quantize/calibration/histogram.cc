#include <algorithm>
#include <array>
#include <cmath>

#include "quantize/calibration/observer.h"

namespace edgetwin::quantize {

int histogram_bins(Method method, int bits) {
  switch (method) {
    case Method::kl:
      return 32 << (bits - 1);
    case Method::mse:
      // Eight bins to a step of one side at least, so that every width has clippings to choose
      // from.
      return std::max(2048, 8 << bits);
    default:
      return 0;
  }
}

void Histogram::take(std::span<const float> values, int64_t times) {
  const float per_unit = end_ > 0.0F ? static_cast<float>(counts_.size()) / end_ : 0.0F;
  const auto last = static_cast<float>(counts_.size() - 1);
  // Where a bin lies is computed side by side, what is in it one after the other.
  constexpr size_t kBlock = 256;
  std::array<int32_t, kBlock> bins{};
  for (size_t at = 0; at < values.size(); at += kBlock) {
    const size_t n = std::min(kBlock, values.size() - at);
    for (size_t k = 0; k < n; ++k) {
      const float bin = std::fabs(values[at + k]) * per_unit;
      bins[k] = static_cast<int32_t>(bin < last ? bin : last);
    }
    for (size_t k = 0; k < n; ++k) counts_[static_cast<size_t>(bins[k])] += times;
  }
}

}  // namespace edgetwin::quantize

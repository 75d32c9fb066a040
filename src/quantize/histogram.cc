#include <algorithm>
#include <cmath>

#include "quantize/observer.h"

namespace edgetwin::quantize {

int histogram_bins(Method method, int bits) {
  switch (method) {
    case Method::kl:
      return 32 << (bits - 1);
    case Method::mse:
      // Eight bins to a step of one side at least, so that every width has clippings to choose from.
      return std::max(2048, 8 << bits);
    default:
      return 0;
  }
}

void Histogram::take(std::span<const float> values, int64_t times) {
  std::vector<int64_t> counts(counts_.size());
  const float per_unit = end_ > 0.0F ? static_cast<float>(counts_.size()) / end_ : 0.0F;
  const auto last = static_cast<float>(counts_.size() - 1);
  for (const float x : values) {
    const float bin = std::min(std::floor(std::fabs(x) * per_unit), last);
    ++counts[static_cast<size_t>(bin)];
  }
  const std::lock_guard lock(*guard_);
  for (size_t i = 0; i < counts.size(); ++i) counts_[i] += counts[i] * times;
}

}  // namespace edgetwin::quantize

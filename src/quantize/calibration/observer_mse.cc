// The clipping whose integers lie closest to the values: for each candidate every bin is charged
// with its distance to the middle of the step it falls in, or to the end of the range.
#include <algorithm>
#include <cmath>
#include <limits>

#include "quantize/calibration/observer.h"

namespace edgetwin::quantize {
namespace {

double error_of(int64_t bin, int64_t end, int64_t step) {
  if (bin > end) return static_cast<double>(bin - end) + 0.5;
  const int64_t left = bin % step;
  const int64_t right = step - left - 1;
  return left == right ? static_cast<double>(left) + 0.25
                       : static_cast<double>(std::min(left, right)) + 0.5;
}

double loss(std::span<const int64_t> counts, int64_t end, int64_t step) {
  double sum = 0.0;
  for (size_t i = 0; i < counts.size(); ++i) {
    if (counts[i] == 0) continue;
    const double e = error_of(static_cast<int64_t>(i), end, step);
    sum += static_cast<double>(counts[i]) * e * e;
  }
  return sum;
}

}  // namespace

Range mse_range(const Histogram& histogram, int bits) {
  const auto counts = histogram.counts();
  const auto bins = static_cast<int64_t>(counts.size());
  const int64_t levels = int64_t{1} << bits;
  int64_t best_end = bins;
  double least = std::numeric_limits<double>::infinity();
  const int64_t steps = bins / levels;
  for (int64_t k = 0; k <= steps; ++k) {
    const int64_t step = k == 0 ? steps + 1 : k;  // the whole range stands first
    const int64_t end = levels * step;
    if (end > bins + levels) continue;
    const double l = loss(counts, end, step);
    if (l >= least) continue;
    least = l;
    best_end = end;
  }
  Range r;
  r.high = static_cast<float>(best_end) * (histogram.end() / static_cast<float>(bins));
  r.low = -r.high;
  r.exponent = exponent_of_range(r.low, r.high, bits);
  return r;
}

}  // namespace edgetwin::quantize

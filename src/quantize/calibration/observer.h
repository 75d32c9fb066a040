// What calibration has seen of one tensor, and the range that a method makes of it.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "quantize/calibration/exponent.h"
#include "quantize/calibration/method.h"

namespace edgetwin::quantize {

// Of one run; the runs are put together in their order, so that threads cannot change a bit.
struct RangeStatistics {
  float low = 0.0F, high = 0.0F;  // the extremes
  float low_percentile = 0.0F, high_percentile = 0.0F;
  bool finite = true;
};

// The share of values that the percentile keeps.
inline constexpr double kPercentile = 0.9999;

// One pass over the values. `percentile` costs a second look at few of them.
RangeStatistics observe(std::span<const float> values, bool percentile);

// The k-th smallest and the m-th smallest with k = int(n (1 - p)) + 1, m = min(int(n p), n - 1)
// + 1.
struct Percentiles {
  float low = 0.0F, high = 0.0F;
};
Percentiles percentiles(std::span<const float> values);

// Counts of |x| in equal bins over [0, end].
class Histogram {
 public:
  Histogram(int bins, float end) : counts_(static_cast<size_t>(bins)), end_(end) {}
  // Counts every value `times` times.
  void take(std::span<const float> values, int64_t times);
  std::span<const int64_t> counts() const { return counts_; }
  float end() const { return end_; }

 private:
  std::vector<int64_t> counts_;
  float end_;
};

// Bins that a method wants for a width; 0: it needs no histogram.
int histogram_bins(Method method, int bits);

struct Range {
  float low = 0.0F, high = 0.0F;
  int exponent = 0;
};
// observer_minmax.cc, observer_percentile.cc: of all runs.
Range minmax_range(std::span<const RangeStatistics> runs, int bits);
Range percentile_range(std::span<const RangeStatistics> runs, int bits);
// observer_kl.cc, observer_mse.cc
Range kl_range(const Histogram& histogram, int bits);
// Upstream counts 2048 bins for every width, so that at 16 bits only a range 32 times too wide is
// left; here the bins grow with the width, and both widths have clippings to choose from.
Range mse_range(const Histogram& histogram, int bits);

}  // namespace edgetwin::quantize

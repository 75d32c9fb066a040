#include <algorithm>
#include <array>

#include "quantize/calibration/observer.h"

namespace edgetwin::quantize {

namespace {

// Side by side, so that the loop over them becomes vector instructions.
constexpr size_t kLanes = 32;

struct Lanes {
  std::array<float, kLanes> low, high, not_zero;
};

}  // namespace

RangeStatistics observe(std::span<const float> values, bool percentile) {
  RangeStatistics seen;
  if (values.empty()) return seen;
  Lanes l;
  l.low.fill(values[0]);
  l.high.fill(values[0]);
  l.not_zero.fill(0.0F);
  const auto take = [&l](float x, size_t k) {
    l.low[k] = x < l.low[k] ? x : l.low[k];
    l.high[k] = x > l.high[k] ? x : l.high[k];
    // x - x is 0 for every number and NaN for all else; sums of zeros stay zero.
    l.not_zero[k] += x - x;
  };
  size_t at = 0;
  for (; at + kLanes <= values.size(); at += kLanes) {
    for (size_t k = 0; k < kLanes; ++k) take(values[at + k], k);
  }
  for (size_t k = 0; at < values.size(); ++at, ++k) take(values[at], k);
  float not_zero = 0.0F;
  for (const float x : l.not_zero) not_zero += x;
  seen.finite = not_zero == 0.0F;
  seen.low = seen.low_percentile = *std::min_element(l.low.begin(), l.low.end());
  seen.high = seen.high_percentile = *std::max_element(l.high.begin(), l.high.end());
  if (percentile && seen.finite) {
    const Percentiles p = percentiles(values);
    seen.low_percentile = p.low;
    seen.high_percentile = p.high;
  }
  return seen;
}

Range minmax_range(std::span<const RangeStatistics> runs, int bits) {
  Range r;
  for (const RangeStatistics& s : runs) {
    r.low = std::min(r.low, s.low);
    r.high = std::max(r.high, s.high);
  }
  r.exponent = exponent_of_range(r.low, r.high, bits);
  return r;
}

}  // namespace edgetwin::quantize

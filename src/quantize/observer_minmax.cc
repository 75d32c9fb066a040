#include <algorithm>
#include <cmath>

#include "quantize/observer.h"

namespace edgetwin::quantize {

Seen look(std::span<const float> values, bool percentile) {
  Seen seen;
  if (values.empty()) return seen;
  float low = values[0];
  float high = values[0];
  // x - x is 0 for every number and NaN for all else; sums of zeros stay zero.
  float not_zero = 0.0F;
  for (const float x : values) {
    low = std::min(low, x);
    high = std::max(high, x);
    not_zero += x - x;
  }
  seen.finite = not_zero == 0.0F;
  seen.low = seen.low_percentile = low;
  seen.high = seen.high_percentile = high;
  if (percentile && seen.finite) {
    const Percentiles p = percentiles(values);
    seen.low_percentile = p.low;
    seen.high_percentile = p.high;
  }
  return seen;
}

Range minmax_range(std::span<const Seen> runs, int bits) {
  Range r;
  for (const Seen& s : runs) {
    r.low = std::min(r.low, s.low);
    r.high = std::max(r.high, s.high);
  }
  r.exponent = exponent_of_range(r.low, r.high, bits);
  return r;
}

}  // namespace edgetwin::quantize

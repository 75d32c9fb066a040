#include <algorithm>
#include <functional>

#include "quantize/calibration/observer.h"

namespace edgetwin::quantize {
namespace {

// The k-th element in the order of `before`, k from 1. Only a few are kept: those before the k-th
// of what was seen so far; a block of values of which none is before it is passed over.
template <class Before>
float kth(std::span<const float> values, size_t k, Before before) {
  constexpr size_t kBlock = 64;
  std::vector<float> kept;
  const size_t room = std::max<size_t>(4 * k, 1024);
  kept.reserve(room + kBlock);
  bool full = false;
  float bound = 0.0F;
  const auto shrink = [&] {
    std::nth_element(kept.begin(), kept.begin() + static_cast<std::ptrdiff_t>(k - 1), kept.end(),
                     before);
    kept.resize(k);
    bound = kept[k - 1];
    full = true;
  };
  for (size_t at = 0; at < values.size(); at += kBlock) {
    const auto block = values.subspan(at, std::min(kBlock, values.size() - at));
    if (full) {
      int any = 0;
      for (const float x : block) any |= before(x, bound) ? 1 : 0;
      if (any == 0) continue;
      for (const float x : block) {
        if (before(x, bound)) kept.push_back(x);
      }
    } else {
      kept.insert(kept.end(), block.begin(), block.end());
    }
    if (kept.size() >= room) shrink();
  }
  shrink();
  return bound;
}

}  // namespace

Percentiles percentiles(std::span<const float> values) {
  if (values.empty()) return {};
  const size_t n = values.size();
  const auto count = static_cast<double>(n);
  const size_t low = static_cast<size_t>(count * (1.0 - kPercentile)) + 1;
  const size_t high = std::min(static_cast<size_t>(count * kPercentile), n - 1) + 1;
  return {kth(values, low, std::less<float>()), kth(values, n - high + 1, std::greater<float>())};
}

Range percentile_range(std::span<const RangeStatistics> runs, int bits) {
  Range r;
  if (runs.empty()) return r;
  float low = 0.0F;
  float high = 0.0F;
  for (const RangeStatistics& s : runs) {
    low += s.low_percentile;
    high += s.high_percentile;
  }
  const auto count = static_cast<float>(runs.size());
  r.low = std::min(0.0F, low / count);
  r.high = std::max(0.0F, high / count);
  r.exponent = exponent_of_range(r.low, r.high, bits);
  return r;
}

}  // namespace edgetwin::quantize

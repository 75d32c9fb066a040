// The number of bins whose clipped distribution differs least from the whole one, by
// Kullback-Leibler divergence, after squeezing into the levels of the integers.
#include <algorithm>
#include <cmath>

#include "quantize/calibration/observer.h"

namespace edgetwin::quantize {
namespace {

constexpr double kTiny = 1e-30;
// The lowest bins hold what activations leave at zero; they would outweigh everything.
constexpr double kIgnoredShare = 0.002;

// The bins that are not empty; a 16-bit tensor has a million bins and few of these.
struct Bins {
  std::vector<size_t> index;
  std::vector<float> count;
  std::vector<double> log_share;  // log10 of count / total
  std::vector<double> before;     // counts before each, and all of them
  float total = 0.0F;
};

double log10_of(double share) { return std::log10(share + kTiny); }

Bins bins_of(const Histogram& histogram) {
  Bins b;
  const auto counts = histogram.counts();
  const auto zeroed = static_cast<size_t>(static_cast<double>(counts.size()) * kIgnoredShare);
  double total = 0.0;
  b.before.push_back(0.0);
  for (size_t i = zeroed; i < counts.size(); ++i) {
    const float count = i == zeroed ? 1.0F : static_cast<float>(counts[i]);
    if (count == 0.0F) continue;
    b.index.push_back(i);
    b.count.push_back(count);
    total += static_cast<double>(count);
    b.before.push_back(total);
  }
  b.total = static_cast<float>(total);
  for (const float c : b.count) b.log_share.push_back(log10_of(static_cast<double>(c / b.total)));
  return b;
}

// Sum over the bins of p (log p - log q), where p has everything after `range` in its last bin,
// and q spreads each of `levels` groups evenly over those of its bins that are not empty.
double divergence(const Bins& b, size_t range, size_t levels) {
  const size_t width = range / levels;
  const auto end = static_cast<size_t>(std::lower_bound(b.index.begin(), b.index.end(), range) -
                                       b.index.begin());
  const auto inside = static_cast<float>(b.before[end]);
  const double tail = b.before.back() - b.before[end];
  double d = 0.0;
  for (size_t i = 0; i < end;) {
    const size_t group = b.index[i] / width;
    size_t last = i;
    float sum = 0.0F;
    for (; last < end && b.index[last] / width == group; ++last) sum += b.count[last];
    const float each = sum / static_cast<float>(last - i) / inside;
    const double log_q = log10_of(static_cast<double>(each));
    for (; i < last; ++i) {
      if (b.index[i] + 1 == range && tail > 0.0) {
        const auto p = static_cast<double>(
            static_cast<float>(static_cast<double>(b.count[i]) + tail) / b.total);
        d += p * (log10_of(p) - log_q);
      } else {
        d += static_cast<double>(b.count[i] / b.total) * (b.log_share[i] - log_q);
      }
    }
  }
  const bool last_is_empty = end == 0 || b.index[end - 1] + 1 != range;
  if (last_is_empty && tail > 0.0) {
    const auto p = static_cast<double>(static_cast<float>(tail) / b.total);
    d += p * (log10_of(p) - log10_of(0.0));
  }
  return d;
}

}  // namespace

Range kl_range(const Histogram& histogram, int bits) {
  const Bins b = bins_of(histogram);
  const size_t levels = size_t{1} << (bits - 1);
  const size_t n = histogram.counts().size();
  size_t best = levels;
  double least = 0.0;
  for (size_t range = levels; range <= n; range += levels) {
    const double d = divergence(b, range, levels);
    if (range > levels && d >= least) continue;
    best = range;
    least = d;
  }
  const float width = histogram.end() / static_cast<float>(n);
  Range r;
  r.high = static_cast<float>(best) * width;
  r.low = -r.high;
  const double scale = static_cast<double>(r.high) / static_cast<double>(levels);
  r.exponent = exponent_of(scale, ScaleRounding::nearest);
  return r;
}

}  // namespace edgetwin::quantize

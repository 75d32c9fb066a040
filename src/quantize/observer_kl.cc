// The number of bins whose clipped distribution differs least from the whole one, by
// Kullback-Leibler divergence, after squeezing into the levels of the integers.
#include <algorithm>
#include <cmath>

#include "quantize/observer.h"

namespace edgetwin::quantize {
namespace {

constexpr double kTiny = 1e-30;
// The lowest bins hold what activations leave at zero; they would outweigh everything.
constexpr double kIgnoredShare = 0.002;

struct Bins {
  std::vector<float> counts;
  float total = 0.0F;
};

Bins bins_of(const Histogram& histogram) {
  Bins b;
  b.counts.assign(histogram.counts().begin(), histogram.counts().end());
  const auto zeroed = static_cast<size_t>(static_cast<double>(b.counts.size()) * kIgnoredShare);
  std::fill_n(b.counts.begin(), zeroed, 0.0F);
  b.counts[zeroed] = 1.0F;
  double total = 0.0;
  for (const float c : b.counts) total += static_cast<double>(c);
  b.total = static_cast<float>(total);
  return b;
}

// Each group of bins spread evenly over those of its bins that are not empty, in shares.
std::vector<float> squeezed(const Bins& b, size_t range, size_t levels) {
  std::vector<float> q(range);
  const size_t width = range / levels;
  double all = 0.0;
  for (size_t g = 0; g < levels; ++g) {
    float sum = 0.0F;
    int used = 0;
    for (size_t i = g * width; i < (g + 1) * width; ++i) {
      sum += b.counts[i];
      used += b.counts[i] > 0.0F ? 1 : 0;
    }
    if (used == 0) continue;
    const float each = sum / static_cast<float>(used);
    for (size_t i = g * width; i < (g + 1) * width; ++i) {
      if (b.counts[i] > 0.0F) q[i] = each;
    }
    all += static_cast<double>(sum);
  }
  const auto total = static_cast<float>(all);
  for (float& x : q) x /= total;
  return q;
}

double divergence(const Bins& b, size_t range, size_t levels, double tail) {
  const std::vector<float> q = squeezed(b, range, levels);
  double d = 0.0;
  for (size_t i = 0; i < range; ++i) {
    const bool last = i + 1 == range;
    if (b.counts[i] == 0.0F && !last) continue;  // 0 times anything
    const float count = last ? static_cast<float>(static_cast<double>(b.counts[i]) + tail)
                             : b.counts[i];
    const auto p = static_cast<double>(count / b.total);
    d += p * (std::log10(p + kTiny) - std::log10(static_cast<double>(q[i]) + kTiny));
  }
  return d;
}

}  // namespace

Range kl_range(const Histogram& histogram, int bits) {
  const Bins b = bins_of(histogram);
  const size_t levels = size_t{1} << (bits - 1);
  const size_t n = b.counts.size();
  std::vector<double> tails(n + 1);  // what lies from a bin on
  for (size_t i = n; i-- > 0;) tails[i] = tails[i + 1] + static_cast<double>(b.counts[i]);
  size_t best = levels;
  double least = 0.0;
  for (size_t range = levels; range <= n; range += levels) {
    const double d = divergence(b, range, levels, tails[range]);
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

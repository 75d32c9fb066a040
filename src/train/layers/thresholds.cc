#include "train/layers/thresholds.h"

#include <algorithm>
#include <cmath>

namespace edgetwin::train {
namespace {

constexpr int kBins = 2048;
constexpr int kCandidates = 5;

std::vector<float> even_edges(float low, float high) {
  std::vector<float> edges;
  const double step = (static_cast<double>(high) - static_cast<double>(low)) / kBins;
  for (int i = 0; i <= kBins; ++i)
    edges.push_back(static_cast<float>(static_cast<double>(low) + i * step));
  edges.back() = high;
  return edges;
}

// Linear between the points; constant outside of them.
double interpolated(float x, const std::vector<float>& xs, const std::vector<double>& ys) {
  if (x <= xs.front()) return x < xs.front() ? 0 : ys.front();
  if (x >= xs.back()) return ys.back();
  const auto after = std::upper_bound(xs.begin(), xs.end(), x);
  const auto i = static_cast<size_t>(after - xs.begin());
  const double width = static_cast<double>(xs[i]) - static_cast<double>(xs[i - 1]);
  const double part = (static_cast<double>(x) - static_cast<double>(xs[i - 1])) / width;
  return ys[i - 1] + part * (ys[i] - ys[i - 1]);
}

double middle(const Threshold& t, size_t k) {
  if (k == 0) return 0;
  return (static_cast<double>(t.edges[k - 1]) + static_cast<double>(t.edges[k])) / 2;
}

struct Spread {
  double mean = 0, deviation = 0;
};

Spread spread_of(const Threshold& t) {
  double total = 0;
  Spread s;
  for (size_t k = 0; k < t.counts.size(); ++k) {
    total += t.counts[k];
    s.mean += t.counts[k] * middle(t, k);
  }
  s.mean /= total;
  for (size_t k = 0; k < t.counts.size(); ++k) {
    const double d = middle(t, k) - s.mean;
    s.deviation += t.counts[k] * d * d;
  }
  s.deviation = std::sqrt(s.deviation / total);
  return s;
}

double error_of(float threshold, const std::vector<float>& edges,
                const std::vector<double>& counts) {
  const double unit = (static_cast<double>(threshold) + 1e-9) / 128;
  double sum = 0;
  double total = 0;
  for (size_t i = 0; i < edges.size(); ++i) {
    const auto e = static_cast<double>(edges[i]);
    const double q = std::clamp(std::nearbyint(e / unit), -128.0, 127.0) * unit;
    sum += counts[i] * (q - e) * (q - e);
    total += counts[i];
  }
  return sum / total;
}

// Adds up the histograms of all batches on common edges.
Threshold merged(std::span<const BatchHistogram> batches) {
  float low = batches[0].low;
  float high = batches[0].high;
  for (const BatchHistogram& batch : batches) {
    low = std::min(low, batch.low);
    high = std::max(high, batch.high);
  }
  Threshold t;
  t.edges = even_edges(low, high);
  std::vector<double> below(t.edges.size());
  for (const BatchHistogram& batch : batches) {
    const std::vector<float> own = even_edges(batch.low, batch.high);
    for (size_t i = 0; i < below.size(); ++i) {
      below[i] += interpolated(t.edges[i], own, batch.below);
    }
  }
  t.counts = below;
  for (size_t i = below.size() - 1; i > 0; --i) t.counts[i] -= below[i - 1];
  return t;
}

}  // namespace

BatchHistogram histogram_of(std::span<const float> values) {
  const auto [low, high] = std::minmax_element(values.begin(), values.end());
  BatchHistogram h{*low, *high, std::vector<double>(kBins + 1)};
  const double width = static_cast<double>(h.high) - static_cast<double>(h.low);
  for (const float v : values) {
    const double part =
        width > 0 ? (static_cast<double>(v) - static_cast<double>(h.low)) / width : 0;
    const int bin = std::clamp(static_cast<int>(part * kBins), 0, kBins - 1);
    h.below[static_cast<size_t>(bin) + 1] += 1;
  }
  for (size_t i = 1; i < h.below.size(); ++i) h.below[i] += h.below[i - 1];
  return h;
}

Threshold activation_threshold(std::span<const BatchHistogram> batches, float z_score) {
  Threshold t = merged(batches);
  const Spread spread = spread_of(t);
  std::vector<double> counts;
  float largest = 0;
  for (size_t k = 0; k < t.counts.size(); ++k) {
    const double far = std::abs(middle(t, k) - spread.mean);
    if (t.counts[k] <= 0 || far > static_cast<double>(z_score) * spread.deviation) continue;
    t.kept.push_back(t.edges[k]);
    counts.push_back(t.counts[k]);
    largest = std::max(largest, std::abs(t.edges[k]));
  }
  int exponent = 0;
  const float part = std::frexp(largest, &exponent);
  t.first = std::ldexp(1.0F, part == 0.5F ? exponent - 1 : exponent);
  int best = 0;
  for (int i = 0; i < kCandidates; ++i) {
    t.errors.push_back(error_of(std::ldexp(t.first, -i), t.kept, counts));
    if (t.errors[static_cast<size_t>(i)] < t.errors[static_cast<size_t>(best)]) best = i;
  }
  t.logarithm = static_cast<float>(std::ilogb(t.first) - best);
  return t;
}

}  // namespace edgetwin::train

#include "train/layers/shift.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <vector>

namespace edgetwin::train {
namespace {

float older_quantile(const std::vector<float>& sorted, float q) {
  const size_t n = sorted.size();
  if (n == 1) return sorted[0];
  // The interval is found on the grid (2k + 1) / (2n), but interpolated on that of q * (n - 1).
  const auto twice = static_cast<float>(2 * n);
  size_t passed = 0;
  while (passed < n && static_cast<float>(2 * passed + 1) / twice <= q) ++passed;
  const size_t i = std::clamp<size_t>(passed, 1, n - 1) - 1;
  const float part = q * static_cast<float>(n - 1) - static_cast<float>(i);
  return sorted[i] + part * (sorted[i + 1] - sorted[i]);
}

float ordinary_quantile(const std::vector<float>& sorted, float q) {
  const size_t last = sorted.size() - 1;
  const float rank = q * static_cast<float>(last);
  const size_t below = std::min(static_cast<size_t>(rank), last);
  const size_t above = std::min(static_cast<size_t>(std::ceil(rank)), last);
  const float part = rank - static_cast<float>(below);
  const float low = sorted[below];
  const float high = sorted[above];
  // From the nearer end, as the quantizer interpolates.
  return part < 0.5F ? low + part * (high - low) : high - (high - low) * (1.0F - part);
}

}  // namespace

float magnitude_quantile(std::span<const float> weights, std::span<const float> bias, float q,
                         QuantileRule rule) {
  std::vector<float> all;
  all.reserve(weights.size() + bias.size());
  for (const float v : weights) all.push_back(std::abs(v));
  for (const float v : bias) all.push_back(std::abs(v));
  if (all.empty()) return 0;
  if (q >= 1) return *std::max_element(all.begin(), all.end());
  std::sort(all.begin(), all.end());
  return rule == QuantileRule::older ? older_quantile(all, q) : ordinary_quantile(all, q);
}

int shift_of_limit(float limit) {
  const float inverse = 1.0F / limit;
  if (std::isinf(inverse)) return -kLargestShift;
  if (inverse == 0) return kLargestShift;
  const auto logarithm = static_cast<float>(std::log2(static_cast<double>(inverse)));
  const auto whole = static_cast<int>(std::floor(logarithm));
  return -std::clamp(whole, -kLargestShift, kLargestShift);
}

}  // namespace edgetwin::train

#include "targets/max78/quantize/scale.h"

#include <algorithm>
#include <cmath>
#include <vector>

namespace edgetwin::max78 {
namespace {

struct Range {
  float low;
  float high;
};

Range range_of(std::span<const float> values) {
  const auto [low, high] = std::minmax_element(values.begin(), values.end());
  return {*low, *high};
}

}  // namespace

float magnitude_quantile(std::span<const float> weights, std::span<const float> bias, float q) {
  std::vector<float> all;
  all.reserve(weights.size() + bias.size());
  for (const float v : weights) all.push_back(std::abs(v));
  for (const float v : bias) all.push_back(std::abs(v));
  const size_t last = all.size() - 1;
  const float rank = q * static_cast<float>(last);
  const size_t below = std::min(static_cast<size_t>(rank), last);
  const size_t above = std::min(static_cast<size_t>(std::ceil(rank)), last);
  const auto nth = [&all](size_t n) {
    const auto place = all.begin() + static_cast<std::ptrdiff_t>(n);
    std::nth_element(all.begin(), place, all.end());
    return *place;
  };
  const float low = nth(below);
  const float high = above == below ? low : nth(above);
  const float part = rank - static_cast<float>(below);
  // From the nearer end, as PyTorch interpolates.
  return part < 0.5F ? low + part * (high - low) : high - (high - low) * (1.0F - part);
}

float largest_magnitude(std::span<const float> weights) {
  const Range range = range_of(weights);
  return std::max(std::abs(range.low), std::abs(range.high));
}

float mean_magnitude(std::span<const float> weights, const Shape& shape) {
  const auto channels = static_cast<size_t>(shape[0]);
  const size_t each = weights.size() / channels;
  double low = 0;
  double high = 0;
  for (size_t c = 0; c < channels; ++c) {
    const Range range = range_of(weights.subspan(c * each, each));
    low += static_cast<double>(range.low);
    high += static_cast<double>(range.high);
  }
  const auto n = static_cast<double>(channels);
  return std::max(std::abs(static_cast<float>(low / n)), std::abs(static_cast<float>(high / n)));
}

float deviation_magnitude(std::span<const float> weights, float n) {
  double sum = 0;
  for (const float v : weights) sum += static_cast<double>(v);
  const double mean = sum / static_cast<double>(weights.size());
  double squares = 0;
  for (const float v : weights) {
    const double d = static_cast<double>(v) - mean;
    squares += d * d;
  }
  // Unbiased; of a single weight it does not exist.
  const double variance = squares / static_cast<double>(weights.size() - 1);
  const auto deviation = static_cast<float>(std::sqrt(variance));
  const auto middle = static_cast<float>(mean);
  const Range range = range_of(weights);
  const float low = std::max(range.low, middle - n * deviation);
  const float high = std::min(range.high, middle + n * deviation);
  return std::max(std::abs(low), std::abs(high));
}

}  // namespace edgetwin::max78

#include "train/espdl/fake_quantize.h"

#include <algorithm>
#include <cmath>

namespace edgetwin::train {
namespace {

constexpr double kLn2 = 0.69314718055994530942;

float rounded(float value, numerics::Rounding rounding) {
  return rounding == numerics::Rounding::half_up ? std::floor(value + 0.5F) : std::nearbyint(value);
}

float rounded_at(std::span<const float> values, size_t i, const FakeQuantizer& q) {
  return rounded(values[i] / q.scales[q.channel(i)], q.rounding);
}

}  // namespace

std::vector<float> fake_quantize(std::span<const float> values, const FakeQuantizer& q) {
  std::vector<float> result;
  result.reserve(values.size());
  for (size_t i = 0; i < values.size(); ++i) {
    const float limited = std::clamp(rounded_at(values, i, q), q.low(), q.high());
    result.push_back(q.scales[q.channel(i)] * limited);
  }
  return result;
}

std::vector<float> fake_quantize_gradient(std::span<const float> values,
                                          std::span<const float> gradient, const FakeQuantizer& q) {
  std::vector<float> result(gradient.begin(), gradient.end());
  if (q.upstream_bugs && q.scales.size() > 1) return result;
  for (size_t i = 0; i < values.size(); ++i) {
    const float v = rounded_at(values, i, q);
    if (v < q.low() || v > q.high()) result[i] = 0;
  }
  return result;
}

std::vector<double> scale_sums(std::span<const float> values, std::span<const float> gradient,
                               const FakeQuantizer& q) {
  std::vector<double> sums(q.scales.size());
  for (size_t i = 0; i < values.size(); ++i) {
    const float u = values[i] / q.scales[q.channel(i)];
    const float v = rounded(u, q.rounding);
    double term = static_cast<double>(v) - static_cast<double>(u);
    if (v < q.low()) term = static_cast<double>(q.low());
    if (v > q.high()) term = static_cast<double>(q.high());
    sums[q.channel(i)] += static_cast<double>(gradient[i]) * term;
  }
  return sums;
}

float threshold_scale(float log2_scale) {
  return std::ldexp(1.0F, static_cast<int>(std::nearbyint(log2_scale)));
}

std::vector<float> threshold_gradient(std::span<const float> values,
                                      std::span<const float> gradient, const FakeQuantizer& q) {
  std::vector<float> result;
  const std::vector<double> sums = scale_sums(values, gradient, q);
  for (size_t c = 0; c < sums.size(); ++c) {
    result.push_back(static_cast<float>(kLn2 * static_cast<double>(q.scales[c]) * sums[c]));
  }
  return result;
}

double threshold_penalty(std::span<const float> log2_scales, double factor) {
  double sum = 0;
  for (const float a : log2_scales) {
    const auto d = static_cast<double>(a - std::nearbyint(a));
    sum += d * d;
  }
  return factor * sum / static_cast<double>(log2_scales.size());
}

std::vector<float> threshold_penalty_gradient(std::span<const float> log2_scales, double factor) {
  std::vector<float> result;
  for (const float a : log2_scales) {
    const auto d = static_cast<double>(a - std::nearbyint(a));
    result.push_back(static_cast<float>(2 * factor * d / static_cast<double>(log2_scales.size())));
  }
  return result;
}

std::vector<float> step_gradient(std::span<const float> values, std::span<const float> gradient,
                                 const FakeQuantizer& q) {
  const double root = std::sqrt(static_cast<double>(values.size()) * static_cast<double>(q.high()));
  std::vector<float> result;
  for (const double sum : scale_sums(values, gradient, q)) {
    result.push_back(static_cast<float>(sum / root));
  }
  return result;
}

}  // namespace edgetwin::train

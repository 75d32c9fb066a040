#include "train/espdl/adaround.h"

#include <algorithm>
#include <cmath>

#include "train/math/functions.h"

namespace edgetwin::train {
namespace {

constexpr double kStretch = 1.2, kBelow = 0.1;
constexpr double kPenalty = 0.01;
constexpr double kQuiet = 0.2;  // part of the steps without penalty
constexpr double kHalfTurn = 3.14159265358979323846;

double stretched(float v) { return kStretch * logistic(static_cast<double>(v)) - kBelow; }
double soft(float v) { return std::clamp(stretched(v), 0.0, 1.0); }

// d h / d v; 0 where a limit acts.
double soft_slope(float v) {
  const double h = stretched(v);
  if (h < 0 || h > 1) return 0;
  const double s = logistic(static_cast<double>(v));
  return kStretch * s * (1 - s);
}

}  // namespace

AdaRound::AdaRound(std::span<const float> weights, FakeQuantizer quantizer)
    : weights_(weights.begin(), weights.end()), quantizer_(std::move(quantizer)) {}

std::vector<float> AdaRound::start() const {
  std::vector<float> v;
  for (size_t i = 0; i < weights_.size(); ++i) {
    const float u = weights_[i] / quantizer_.scales[quantizer_.channel(i)];
    const auto part = static_cast<double>(u - std::floor(u));
    v.push_back(static_cast<float>(-logarithm(kStretch / (part + kBelow) - 1)));
  }
  return v;
}

std::vector<float> AdaRound::forward(std::span<const float> v) const {
  std::vector<float> result;
  for (size_t i = 0; i < weights_.size(); ++i) {
    const float scale = quantizer_.scales[quantizer_.channel(i)];
    const float u = std::floor(weights_[i] / scale) + static_cast<float>(soft(v[i]));
    result.push_back(scale * std::clamp(u, quantizer_.low(), quantizer_.high()));
  }
  return result;
}

std::vector<float> AdaRound::gradient(std::span<const float> v,
                                      std::span<const float> gradient) const {
  std::vector<float> result;
  for (size_t i = 0; i < weights_.size(); ++i) {
    const float scale = quantizer_.scales[quantizer_.channel(i)];
    const float u = std::floor(weights_[i] / scale) + static_cast<float>(soft(v[i]));
    const bool inside = u >= quantizer_.low() && u <= quantizer_.high();
    const double g = static_cast<double>(gradient[i]) * static_cast<double>(scale);
    result.push_back(inside ? static_cast<float>(g * soft_slope(v[i])) : 0.0F);
  }
  return result;
}

std::vector<float> AdaRound::finished(std::span<const float> v) const {
  std::vector<float> result;
  for (size_t i = 0; i < weights_.size(); ++i) {
    const float scale = quantizer_.scales[quantizer_.channel(i)];
    const float u = std::floor(weights_[i] / scale) + (soft(v[i]) >= 0.5 ? 1.0F : 0.0F);
    result.push_back(scale * std::clamp(u, quantizer_.low(), quantizer_.high()));
  }
  return result;
}

double RoundingPenalty::beta(int step) const {
  const double quiet = kQuiet * steps;
  if (step < quiet) return 20;
  const double t = (step - quiet) / (steps - quiet);
  return 2 + 18 * (1 + cosine(kHalfTurn * t)) / 2;
}

double RoundingPenalty::value(std::span<const float> v, int step) const {
  if (step < kQuiet * steps) return 0;
  double sum = 0;
  for (const float each : v) sum += 1 - power(std::abs(2 * soft(each) - 1), beta(step));
  return kPenalty * sum;
}

std::vector<float> RoundingPenalty::gradient(std::span<const float> v, int step) const {
  std::vector<float> result(v.size());
  if (step < kQuiet * steps) return result;
  const double exponent = beta(step);
  for (size_t i = 0; i < v.size(); ++i) {
    const double d = 2 * soft(v[i]) - 1;
    const double slope = exponent * power(std::abs(d), exponent - 1) * (d > 0 ? 1.0 : -1.0) * 2;
    result[i] = static_cast<float>(d == 0 ? 0.0 : -kPenalty * slope * soft_slope(v[i]));
  }
  return result;
}

}  // namespace edgetwin::train

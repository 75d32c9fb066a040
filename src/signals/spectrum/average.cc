#include "signals/spectrum/average.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace edgetwin::signals {

PowerAverage::PowerAverage(size_t size, Window window) : power_(size) {
  const auto factors = window_factors(window, size);
  const double sum = std::accumulate(factors.begin(), factors.end(), 0.0);
  full_scale_ = sum * sum;
}

void PowerAverage::add(std::span<const std::complex<float>> spectrum) {
  for (size_t i = 0; i < power_.size(); ++i)
    power_[i] += std::norm(std::complex<double>(spectrum[i]));
  ++count_;
}

std::vector<float> PowerAverage::take_decibels() {
  const size_t size = power_.size();
  std::vector<float> row(size, static_cast<float>(kLeastDecibels));
  for (size_t i = 0; i < size && count_ > 0; ++i) {
    const double power = power_[(i + size / 2) % size] / count_ / full_scale_;
    if (power > 0.0) {
      row[i] = static_cast<float>(std::max(kLeastDecibels, 10.0 * std::log10(power)));
    }
  }
  std::fill(power_.begin(), power_.end(), 0.0);
  count_ = 0;
  return row;
}

double frequency_of(size_t index, size_t size) {
  return static_cast<double>(index) / static_cast<double>(size) - 0.5;
}

}  // namespace edgetwin::signals

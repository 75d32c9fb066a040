#include "signals/fft/theory.h"

#include <cmath>
#include <limits>

namespace edgetwin::signals {
namespace {

// Variances below are of one part (real or imaginary) of a number, in squares of the real unit.
double square(double v) { return v * v; }

// What rounding to steps of this size adds: an error that is equally distributed over a step.
double rounding(double step) { return square(step) / 12.0; }

// Of a sum of numbers with steps of `from`: where the result's steps are twice as large, the error
// is 0 or half a step, each as often.
double rounding_of_sum(double from, double step) {
  return std::fabs(step / from - 2.0) < 1e-9 ? square(step) / 8.0 : rounding(step);
}

}  // namespace

double expected_snr(const FftOptions& o, const FftReach& reach, double root_mean_square) {
  const int bits = bits_of(o.number);
  if (bits == 0) return std::numeric_limits<double>::infinity();
  const auto step = [bits](double r) { return std::ldexp(r, 1 - bits); };
  double signal = square(root_mean_square) / 2.0;
  double noise = rounding(step(reach.input()));
  if (o.form == FftForm::matrix) {
    const double n = o.size, weight = rounding(1.0 / 127.0);
    const double before = noise;
    noise = n * before + 2.0 * n * (signal + before) * weight + rounding(step(reach.output()));
    return 10.0 * std::log10(n * signal / noise);
  }
  const double factor = rounding(1.0 / (std::ldexp(1.0, bits - 1) - 1.0));
  for (int k = 1; k <= o.stages(); ++k) {
    const auto at = static_cast<size_t>(k);
    const double from = step(reach.stage[at - 1]);
    double turned = noise;
    if (k > 1) {
      // Twiddles of 1 and -i are exact, and there are two of them in each block.
      const double inexact = 1.0 - 4.0 / std::ldexp(1.0, k);
      const double to = step(reach.turned[at]);
      turned += inexact * (2.0 * rounding(from) + 2.0 * signal * factor);
      if (std::fabs(to / from - 1.0) > 1e-9) turned += rounding(to);
    }
    noise += turned + rounding_of_sum(from, step(reach.stage[at]));
    signal *= 2.0;
  }
  return 10.0 * std::log10(signal / noise);
}

double signal_to_noise(std::span<const Complex> exact, std::span<const Complex> got) {
  double signal = 0.0, noise = 0.0;
  for (size_t i = 0; i < exact.size(); ++i) {
    signal += std::norm(exact[i]);
    noise += std::norm(exact[i] - got[i]);
  }
  if (noise == 0.0) return std::numeric_limits<double>::infinity();
  return 10.0 * std::log10(signal / noise);
}

}  // namespace edgetwin::signals

#include "signals/fft/scales.h"

#include <algorithm>
#include <cmath>

#include "base/rng.h"

namespace edgetwin::signals {
namespace {

double largest_part(std::span<const Complex> numbers) {
  double most = 0.0;
  for (const Complex& v : numbers)
    most = std::max({most, std::fabs(v.real()), std::fabs(v.imag())});
  return most;
}

}  // namespace

FftReach fft_reach(const FftOptions& options) {
  const double growth = options.scaling == FftScaling::noise ? std::sqrt(2.0) : 2.0;
  FftReach reach{{1.0}, {0.0}};
  for (int k = 1; k <= options.stages(); ++k) {
    // A turn keeps the modulus.
    reach.turned.push_back(reach.stage.back());
    reach.stage.push_back(reach.stage.back() * growth);
  }
  return reach;
}

Result<FftReach> calibrated_reach(const FftOptions& options, std::span<const Complex> samples) {
  const auto size = static_cast<size_t>(options.size),
             stages = static_cast<size_t>(options.stages());
  const size_t frames = samples.size() / size;
  FftReach peak{std::vector<double>(stages + 1), std::vector<double>(stages + 1)};
  const auto observe = [&peak](int stage, std::span<const Complex> turned,
                               std::span<const Complex> result) {
    const auto k = static_cast<size_t>(stage);
    peak.turned[k] = std::max(peak.turned[k], largest_part(turned));
    peak.stage[k] = std::max(peak.stage[k], largest_part(result));
  };
  for (size_t f = 0; f < frames; ++f) {
    const auto frame = samples.subspan(f * size, size);
    peak.stage[0] = std::max(peak.stage[0], largest_part(frame));
    fast_dft(frame, observe);
  }
  const auto lowest = std::min(*std::min_element(peak.stage.begin(), peak.stage.end()),
                               *std::min_element(peak.turned.begin() + 1, peak.turned.end()));
  if (frames == 0 || !(lowest > 0.0)) {
    return Error(ErrorCode::template_argument,
                 frames == 0 ? "calibration needs " + std::to_string(size) +
                                   " samples; there are " + std::to_string(samples.size())
                             : "the samples for calibration are zero")
        .in_field("samples");
  }
  const int bits = bits_of(options.number);
  if (bits == 0) return peak;
  const double steps = std::ldexp(1.0, bits - 1), share = steps / (steps - 1.0);
  for (double& v : peak.stage) v *= share;
  for (double& v : peak.turned) v *= share;
  return peak;
}

int bits_of(FftNumber number) {
  switch (number) {
    case FftNumber::int8:
      return 8;
    case FftNumber::int16:
      return 16;
    case FftNumber::float32:
      break;
  }
  return 0;
}

Quant quant_of(FftNumber number, double reach) {
  const int bits = bits_of(number);
  if (bits == 0) return {};
  return Quant::affine(static_cast<float>(std::ldexp(reach, 1 - bits)), 0);
}

std::vector<Complex> noise_samples(size_t count, double root_mean_square, uint32_t seed) {
  XorShift32 random(seed);
  // The sum of twelve equal distributions of variance 1/12: no function of the machine takes part.
  const auto normal = [&random] {
    double sum = -6.0;
    for (int i = 0; i < 12; ++i) sum += std::ldexp(static_cast<double>(random.next()), -32);
    return sum;
  };
  const double each = root_mean_square * std::sqrt(0.5);
  std::vector<Complex> samples(count);
  for (Complex& v : samples) {
    const double re = normal(), im = normal();
    v = {re * each, im * each};
  }
  return samples;
}

}  // namespace edgetwin::signals

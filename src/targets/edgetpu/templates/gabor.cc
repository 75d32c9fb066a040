#include <algorithm>
#include <cmath>
#include <numbers>

#include "targets/edgetpu/templates/templates.h"

namespace edgetwin::edgetpu::templates {
namespace {

// One filter: an envelope times a wave along its second axis, of wavelength 2 sigma.
std::vector<float> filter(int ksize, double theta, double sigma) {
  const int k = ksize / 2;
  const auto c = static_cast<float>(std::cos(theta)), s = static_cast<float>(std::sin(theta));
  std::vector<float> g;
  float most = 0.0F;
  for (int y = -k; y < ksize - k; ++y) {
    for (int x = -k; x < ksize - k; ++x) {
      const float xr = static_cast<float>(x) * c + static_cast<float>(y) * s;
      const float yr = static_cast<float>(-x) * s + static_cast<float>(y) * c;
      const auto envelope =
          std::exp(-(xr * xr + yr * yr) / static_cast<float>(2.0 * sigma * sigma));
      const auto wave = std::cos(static_cast<float>(2.0 * std::numbers::pi) * yr /
                                 static_cast<float>(2.0 * sigma));
      g.push_back(envelope * wave);
      most = std::max(most, std::fabs(g.back()));
    }
  }
  if (most > 1e-6F) {
    for (float& v : g) v /= most;
  }
  return g;
}

}  // namespace

std::vector<float> gabor_bank(int ksize, int orientations, const std::vector<double>& sigmas) {
  std::vector<float> bank;
  for (const double sigma : sigmas) {
    for (int o = 0; o < orientations; ++o) {
      const auto g = filter(ksize, o * std::numbers::pi / orientations, sigma);
      bank.insert(bank.end(), g.begin(), g.end());
    }
  }
  return bank;
}

}  // namespace edgetwin::edgetpu::templates

#include "train/math/functions.h"

#include <cmath>
#include <limits>

namespace edgetwin::train {
namespace {

constexpr double kLn2High = 0x1.62e42fee00000p-1;  // the leading bits: multiples are exact
constexpr double kLn2Low = 0x1.a39ef35793c76p-33;
constexpr double kInverseLn2 = 0x1.71547652b82fep+0;
constexpr double kPiHalfHigh = 0x1.921fb54400000p+0;
constexpr double kPiHalfLow = 0x1.0b4611a626331p-34;

}  // namespace

double exponential(double x) {
  if (std::isnan(x)) return x;
  if (x > 709.78) return std::numeric_limits<double>::infinity();
  if (x < -745.0) return 0;
  const double n = std::nearbyint(x * kInverseLn2);
  const double r = (x - n * kLn2High) - n * kLn2Low;
  // Taylor's series of |r| <= ln2 / 2, summed from the smallest term: r^14/14! is below 5e-18.
  double sum = 1;
  for (int k = 14; k >= 1; --k) sum = 1 + r * sum / k;
  return std::ldexp(sum, static_cast<int>(n));
}

double logarithm(double x) {
  if (x == 0) return -std::numeric_limits<double>::infinity();
  if (!(x > 0)) return std::numeric_limits<double>::quiet_NaN();
  if (std::isinf(x)) return x;
  int exponent = 0;
  double m = std::frexp(x, &exponent);
  if (m < 0.70710678118654752) {
    m *= 2;
    --exponent;
  }
  // ln m = 2 (t + t^3/3 + t^5/5 + ...) with |t| < 0.1716: t^24 is below 5e-19.
  const double t = (m - 1) / (m + 1);
  const double square = t * t;
  double sum = 0;
  for (int k = 23; k >= 3; k -= 2) sum = square * (1.0 / k + sum);
  const double n = exponent;
  return n * kLn2High + (2 * t + (2 * t * sum + n * kLn2Low));
}

double power(double base, double exponent) {
  if (exponent == 0) return 1;
  if (base == 0) return exponent > 0 ? 0 : std::numeric_limits<double>::infinity();
  return exponential(exponent * logarithm(base));
}

double cosine(double x) {
  const double n = std::nearbyint(x / (kPiHalfHigh + kPiHalfLow));
  const double r = (x - n * kPiHalfHigh) - n * kPiHalfLow;
  const double square = r * r;
  const auto quadrant = static_cast<int>(std::fmod(n, 4.0) + 4) % 4;
  const bool sine = quadrant % 2 != 0;
  double sum = 1;
  for (int k = sine ? 21 : 20; k >= 2; k -= 2) sum = 1 - square * sum / (k * (k - 1));
  const double value = sine ? r * sum : sum;
  return quadrant == 1 || quadrant == 2 ? -value : value;
}

double logistic(double x) { return 1 / (1 + exponential(-x)); }

double hyperbolic_tangent(double x) {
  if (std::abs(x) < 1e-4) return x - x * x * x / 3;
  return 1 - 2 / (1 + exponential(2 * x));
}

}  // namespace edgetwin::train

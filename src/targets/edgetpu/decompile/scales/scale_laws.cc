#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdlib>
#include <numeric>
#include <span>

#include "numerics/edgetpu/elementwise.h"
#include "targets/edgetpu/decompile/scales/scale_arithmetic.h"

namespace edgetwin::edgetpu {
namespace {

// Exactly what add_weights() makes of two scales; away from the ends of the range without its
// continued fraction.
bool weights_are(const ScaleLaw& law, float first, float second) {
  const int64_t a = std::abs(law.weight[0]);
  const int64_t b = std::abs(law.weight[1]);
  if (law.high > 0.0) {
    if (a != b && (a < b) != (first < second)) return false;
    const double x =
        static_cast<double>(std::min(first, second)) / static_cast<double>(std::max(first, second));
    if (x < law.low - kQuotientMargin || x > law.high + kQuotientMargin) return false;
    if (x > law.low + kQuotientMargin && x < law.high - kQuotientMargin) return true;
  }
  const auto w = numerics::edgetpu::add_weights(first, second);
  return w.a == a && w.b == b;
}

// solve_weight() with 1 / output.
float weight_of(float input, float inverse, float wanted) {
  const float guess = (wanted / inverse) / input;
  // The product grows with the weight: only one side of the guess can be right.
  const float product = (input * guess) * inverse;
  const int side = product < wanted ? 1 : -1;
  for (int u = 0; u <= 3; ++u) {
    const float w = step_float(guess, side * u);
    const float made = (input * w) * inverse;
    if (made == wanted) return usable_scale(w) ? w : 0.0F;
    if (side > 0 ? made > wanted : made < wanted) break;
  }
  return 0.0F;
}

constexpr size_t kFirst = 4;
constexpr size_t kSideBySide = 16;

// Whether weight_of() finds all. Mostly the guess is right, which is found out side by side.
bool weights_exist(float input, float inverse, std::span<const float> wanted) {
  uint32_t guessed[kSideBySide];
  for (size_t i = 0; i < wanted.size(); ++i) {
    const float w = (wanted[i] / inverse) / input;
    const auto normal = static_cast<uint32_t>(w >= std::numeric_limits<float>::min());
    const auto finite = static_cast<uint32_t>(w <= std::numeric_limits<float>::max());
    guessed[i] = normal & finite & static_cast<uint32_t>((input * w) * inverse == wanted[i]);
  }
  for (size_t i = 0; i < wanted.size(); ++i) {
    if (guessed[i] == 0 && weight_of(input, inverse, wanted[i]) == 0.0F) return false;
  }
  return true;
}

bool weighted_holds(const ScaleLaw& law, float in, float out) {
  if (!usable_scale(out)) return true;
  if (!usable_scale(in)) return can_write(law, out);
  const float inverse = 1.0F / out;
  // Most scales fail with one of the first multipliers.
  size_t most = kFirst;
  for (size_t n = 0; n < law.wanted.size(); n += most, most = kSideBySide) {
    const size_t count = std::min(most, law.wanted.size() - n);
    if (!weights_exist(in, inverse, std::span(law.wanted).subspan(n, count))) return false;
  }
  return true;
}

bool sum_holds(const ScaleLaw& law, float in, float second, float out) {
  if (!usable_scale(in)) return true;
  if (usable_scale(out) && sum_multiplier(law, in, out) != law.wanted[0]) return false;
  return !usable_scale(second) || weights_are(law, in, second);
}

// Limits of the byte in real numbers, those of the activation, and back, as the compiler does.
struct Range {
  float low, high;
};

Range range_of(const ScaleLimits& l, float scale) {
  float low = static_cast<float>(0 - l.zero_point) * scale;
  float high = static_cast<float>(255 - l.zero_point) * scale;
  if (l.activation == Activation::relu || l.activation == Activation::relu6) {
    low = std::max(low, 0.0F);
  }
  if (l.activation == Activation::relu6) high = std::min(high, 6.0F);
  if (l.activation == Activation::relu_n1_to_1) {
    low = std::max(low, -1.0F);
    high = std::min(high, 1.0F);
  }
  const float inverse = 1.0F / scale;
  return {low * inverse, high * inverse};
}

}  // namespace

// Those quotients that are nearer to the weights' fraction than to its neighbours among all of
// bounded denominator.
ScaleLaw sum_law(size_t in, size_t second, size_t out, float multiplier, int weight_in,
                 int weight_second) {
  ScaleLaw law;
  law.kind = ScaleLawKind::sum;
  law.in = in;
  law.second = second;
  law.out = out;
  law.wanted = {multiplier};
  law.weight[0] = weight_in;
  law.weight[1] = weight_second;
  constexpr int64_t kMost = 32767;
  const int64_t p = std::min(std::abs(weight_in), std::abs(weight_second));
  const int64_t q = std::max(std::abs(weight_in), std::abs(weight_second));
  if (p < 1 || q > kMost || std::gcd(p, q) != 1) return law;
  int64_t below = kMost;
  while ((p * below - 1) % q != 0) --below;
  int64_t above = kMost;
  while ((p * above + 1) % q != 0) --above;
  const auto real = [](int64_t n) { return static_cast<double>(n); };
  law.low = real(p) / real(q) - 0.5 / (real(q) * real(below));
  law.high = real(p) / real(q) + 0.5 / (real(q) * real(above));
  return law;
}

bool can_write(const ScaleLaw& law, float out) {
  const float inverse = 1.0F / out;
  return std::all_of(law.wanted.begin(), law.wanted.end(),
                     [&](float wanted) { return reachable(inverse, wanted); });
}

bool holds(const ScaleLimits& limits, float scale) {
  const Range made = range_of(limits, scale);
  return made.low == limits.lower && made.high == limits.upper;
}

bool holds(const ScaleLaw& law, float in, float second, float out) {
  if (law.kind == ScaleLawKind::weighted) return weighted_holds(law, in, out);
  if (law.kind == ScaleLawKind::sum) return sum_holds(law, in, second, out);
  if (!usable_scale(in) || !usable_scale(out)) return true;
  const float inverse = 1.0F / out;
  const float m = law.wanted[0];
  if (law.kind == ScaleLawKind::rescale) return in * inverse == m;
  if (law.kind == ScaleLawKind::pool) {
    return numerics::edgetpu::mean_multiplier(in, law.count, out) == m;
  }
  return !usable_scale(second) || (in * second) * inverse == m;
}

float chip_multiplier(float input, float weight, float output) {
  return (input * weight) * (1.0F / output);
}

float solve_weight(float input, float output, float wanted) {
  return weight_of(input, 1.0F / output, wanted);
}

}  // namespace edgetwin::edgetpu

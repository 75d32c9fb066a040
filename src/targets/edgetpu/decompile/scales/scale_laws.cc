#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdlib>
#include <numeric>

#include "numerics/edgetpu/elementwise.h"
#include "targets/edgetpu/decompile/scales/scale_problem.h"

namespace edgetwin::edgetpu {
namespace {

// Exactly what add_weights() makes of two scales; away from the ends of the range without its
// continued fraction.
bool weights_are(const ScaleLaw& law, float first, float second) {
  const int64_t a = std::abs(law.weight[0]);
  const int64_t b = std::abs(law.weight[1]);
  if (law.high > 0.0) {
    constexpr double kMargin = 1e-14;
    if (a != b && (a < b) != (first < second)) return false;
    const double x =
        static_cast<double>(std::min(first, second)) / static_cast<double>(std::max(first, second));
    if (x < law.low - kMargin || x > law.high + kMargin) return false;
    if (x > law.low + kMargin && x < law.high - kMargin) return true;
  }
  const auto w = numerics::edgetpu::add_weights(first, second);
  return w.a == a && w.b == b;
}

float sum_multiplier(const ScaleLaw& law, float in, float out) {
  return (in / std::abs(static_cast<float>(law.weight[0]))) * (1.0F / out);
}

// (x * w) * (1 / out): whether any x leads to `wanted`. The quotient is the nearest there is; where
// its product is another one, those of its neighbours are further off.
bool reachable(float inverse, float wanted) { return (wanted / inverse) * inverse == wanted; }

bool weighted_holds(const ScaleLaw& law, float in, float out) {
  if (!usable_scale(out)) return true;
  if (!usable_scale(in)) return can_write(law, out);
  return std::all_of(law.wanted.begin(), law.wanted.end(),
                     [&](float wanted) { return solve_weight(in, out, wanted) != 0.0F; });
}

bool sum_holds(const ScaleLaw& law, float in, float second, float out) {
  if (!usable_scale(in)) return true;
  if (usable_scale(out) && sum_multiplier(law, in, out) != law.wanted[0]) return false;
  return !usable_scale(second) || weights_are(law, in, second);
}

float estimate_sum(const ScaleLaw& law, size_t unknown, float in, float second, float out) {
  const float m = law.wanted[0];
  const float a = std::abs(static_cast<float>(law.weight[0]));
  const float b = std::abs(static_cast<float>(law.weight[1]));
  if (!(m > 0.0F) || !(a > 0.0F)) return 0.0F;
  if (unknown == law.in) {
    if (usable_scale(out)) return m / (1.0F / out) * a;
    return usable_scale(second) && b > 0.0F ? second * (a / b) : 0.0F;
  }
  if (!usable_scale(in)) return 0.0F;
  if (unknown == law.out) return (in / a) / m;
  const double quotient = static_cast<double>(b) / static_cast<double>(a);
  return static_cast<float>(static_cast<double>(in) * quotient);
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

// The multiplier of a law whose tensors are known, but for the second operand of a sum.
float multiplier_of(const ScaleLaw& law, float in, float second, float out) {
  const float inverse = 1.0F / out;
  switch (law.kind) {
    case ScaleLawKind::sum:
      return sum_multiplier(law, in, out);
    case ScaleLawKind::pool:
      return numerics::edgetpu::mean_multiplier(in, law.count, out);
    case ScaleLawKind::product:
      return (in * second) * inverse;
    default:
      return in * inverse;
  }
}

// Whether `unknown` takes part in a multiplier whose other tensors are known.
bool has_multiplier(const ScaleLaw& law, size_t unknown, float in, float second, float out) {
  const auto known = [&](size_t tensor, float scale) {
    return tensor == unknown || usable_scale(scale);
  };
  if (unknown != law.in && unknown != law.out && law.kind == ScaleLawKind::sum) return false;
  if (law.in == law.out) return false;
  const bool both = law.kind != ScaleLawKind::product || known(law.second, second);
  return known(law.in, in) && known(law.out, out) && both;
}

struct Steps {
  int first = 0, last = -1;
};

// The steps from -most to most for which `made`, which grows or falls with them, is `wanted`: they
// follow each other.
template <class Made>
Steps equal_steps(Made&& made, float wanted, bool grows, int most) {
  int step = 0;
  const float begin = made(0);
  if (begin != wanted) {
    const int side = (begin < wanted) == grows ? 1 : -1;
    do {
      step += side;
      if (step < -most || step > most) return {};
      const float m = made(step);
      if (m == wanted) break;
      if ((m < wanted) != (begin < wanted)) return {};
    } while (true);
  }
  Steps steps{step, step};
  while (steps.first > -most && made(steps.first - 1) == wanted) --steps.first;
  while (steps.last < most && made(steps.last + 1) == wanted) ++steps.last;
  return steps;
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

float estimate(const ScaleLaw& law, size_t unknown, float in, float second, float out) {
  if (law.kind == ScaleLawKind::weighted) return 0.0F;
  if (law.kind == ScaleLawKind::sum) return estimate_sum(law, unknown, in, second, out);
  float m = law.wanted[0];
  if (!(m > 0.0F)) return 0.0F;
  if (law.kind == ScaleLawKind::pool) m *= static_cast<float>(law.count);
  const bool product = law.kind == ScaleLawKind::product;
  if (unknown == law.out) {
    if (!usable_scale(in) || (product && !usable_scale(second))) return 0.0F;
    return (product ? in * second : in) / m;
  }
  if (!usable_scale(out)) return 0.0F;
  if (!product) return m * out;
  if (law.in == law.second) return std::sqrt(m * out);
  const float other = unknown == law.in ? second : in;
  return usable_scale(other) ? m * out / other : 0.0F;
}

std::vector<float> derive(const ScaleLaw& law, size_t unknown, float in, float second, float out) {
  std::vector<float> found;
  const float guess = estimate(law, unknown, in, second, out);
  if (!usable_scale(guess)) return found;
  // A fraction of small numbers stands for many quotients; those in the middle are enough.
  constexpr int kNear = 6;
  constexpr int kWide = 24;
  const bool wide = law.kind == ScaleLawKind::sum && law.high > 0.0;
  const int most = wide ? kWide : kNear;
  const auto place = [&](size_t tensor, float known, float s) {
    return tensor == unknown ? s : known;
  };
  const auto made = [&](int steps) {
    const float s = step_float(guess, steps);
    return multiplier_of(law, place(law.in, in, s), place(law.second, second, s),
                         place(law.out, out, s));
  };
  const Steps steps = has_multiplier(law, unknown, in, second, out)
                          ? equal_steps(made, law.wanted[0], unknown != law.out, most)
                          : Steps{-most, most};
  for (int u = 0; u <= 2 * most; ++u) {
    const int step = u % 2 == 0 ? -u / 2 : (u + 1) / 2;
    if (step < steps.first || step > steps.last) continue;
    const float s = step_float(guess, step);
    if (usable_scale(s) &&
        holds(law, place(law.in, in, s), place(law.second, second, s), place(law.out, out, s))) {
      found.push_back(s);
    }
  }
  return found;
}

float chip_multiplier(float input, float weight, float output) {
  return (input * weight) * (1.0F / output);
}

float solve_weight(float input, float output, float wanted) {
  const float inverse = 1.0F / output;
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

}  // namespace edgetwin::edgetpu

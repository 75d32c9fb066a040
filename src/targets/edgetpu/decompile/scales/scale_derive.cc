// One scale of a law from the others.
#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdlib>

#include "numerics/edgetpu/elementwise.h"
#include "targets/edgetpu/decompile/scales/scale_arithmetic.h"

namespace edgetwin::edgetpu {
namespace {

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

// The steps from `guess`, at most `most`, that lead to scales between two bounds.
Steps steps_between(float guess, double low, double high, int most) {
  const auto real = [](float x) { return static_cast<double>(x); };
  auto first = static_cast<float>(low);
  if (real(first) < low) first = step_float(first, 1);
  auto last = static_cast<float>(high);
  if (real(last) > high) last = step_float(last, -1);
  const auto steps = [&](float x) {
    return static_cast<int>(std::bit_cast<uint32_t>(x)) -
           static_cast<int>(std::bit_cast<uint32_t>(guess));
  };
  return {std::max(steps(first), -most), std::min(steps(last), most)};
}

// One operand of a sum from the other, as its weights let it follow. Mostly there is none: the
// quotients that make large weights are closer together than two floats.
Steps quotient_steps(const ScaleLaw& law, bool second, float other, float guess, int most) {
  // Wider than what the test itself takes: it decides.
  constexpr double kWider = 1e-15;
  const double low = (law.low - kQuotientMargin) * (1.0 - kWider);
  const double high = (law.high + kQuotientMargin) * (1.0 + kWider);
  if (!(low > 0.0)) return {-most, most};
  const double known = static_cast<double>(other);
  const int a = std::abs(law.weight[second ? 0 : 1]);
  const int b = std::abs(law.weight[second ? 1 : 0]);
  if (a < b) return steps_between(guess, known / high, known / low, most);
  return steps_between(guess, known * low, a == b ? known / low : known * high, most);
}

// Where a multiplier's tensors are known but for one, the steps that give it.
template <class Place>
Steps multiplier_steps(const ScaleLaw& law, size_t unknown, float guess, int most,
                       const Place& place) {
  if (law.kind == ScaleLawKind::sum && unknown == law.in) {
    const float weight = std::abs(static_cast<float>(law.weight[0]));
    const float inverse = 1.0F / place(law.out, guess);
    const auto made = [&](int n) { return (step_float(guess, n) / weight) * inverse; };
    return equal_steps(made, law.wanted[0], true, most);
  }
  const auto made = [&](int n) {
    const float s = step_float(guess, n);
    return multiplier_of(law, place(law.in, s), place(law.second, s), place(law.out, s));
  };
  return equal_steps(made, law.wanted[0], unknown != law.out, most);
}

}  // namespace

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

ScaleCandidates derive(const ScaleLaw& law, size_t unknown, float in, float second, float out) {
  ScaleCandidates found;
  const float guess = estimate(law, unknown, in, second, out);
  if (!usable_scale(guess)) return found;
  // A fraction of small numbers stands for many quotients; those in the middle are enough.
  constexpr int kNear = 6;
  constexpr int kWide = 24;
  const bool sum = law.kind == ScaleLawKind::sum;
  const bool wide = sum && law.high > 0.0;
  const int most = wide ? kWide : kNear;
  const auto place = [&](size_t tensor, float s) {
    if (tensor == unknown) return s;
    return tensor == law.in ? in : tensor == law.second ? second : out;
  };
  const bool multiplies = has_multiplier(law, unknown, in, second, out);
  Steps steps{-most, most};
  if (multiplies) {
    steps = multiplier_steps(law, unknown, guess, most, place);
  } else if (wide && law.in != law.second && unknown != law.out) {
    const bool to_second = unknown == law.second;
    steps = quotient_steps(law, to_second, to_second ? in : second, guess, most);
  }
  // The multiplier is all that such a law asks.
  const bool proven = multiplies && !(sum && usable_scale(place(law.second, guess)));
  const auto reaches = [&](float s) {
    return usable_scale(s) &&
           (proven || holds(law, place(law.in, s), place(law.second, s), place(law.out, s)));
  };
  for (int n = 0; n <= std::max(-steps.first, steps.last); ++n) {
    if (n >= steps.first && n <= steps.last && reaches(step_float(guess, n))) {
      found.push_back(step_float(guess, n));
    }
    if (n > 0 && -n >= steps.first && -n <= steps.last && reaches(step_float(guess, -n))) {
      found.push_back(step_float(guess, -n));
    }
  }
  return found;
}

}  // namespace edgetwin::edgetpu

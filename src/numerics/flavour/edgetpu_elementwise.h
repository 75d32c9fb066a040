// ADD, SUB, MUL, pooling, MEAN and SUM on the Edge TPU.
#pragma once

#include "numerics/flavour/edgetpu_common.h"

namespace edgetwin::numerics::edgetpu {

// Two integers of at most 32767 whose quotient is nearest to that of two scales: the larger scale
// gets the larger integer, which is the denominator of the approximated fraction.
struct AddWeights {
  int32_t a = 1, b = 1;
};

inline AddWeights add_weights(float scale_a, float scale_b) {
  constexpr int64_t kLimit = 32767;
  const double small = static_cast<double>(std::min(scale_a, scale_b));
  const double large = static_cast<double>(std::max(scale_a, scale_b));
  // The best fraction with a bounded denominator: continued fraction and its last partial step.
  int64_t p0 = 0, q0 = 1, p1 = 1, q1 = 0;
  double n = small, d = large;
  bool exact = true;
  while (d > 0.0) {
    const double rest = std::fmod(n, d);
    const auto whole = static_cast<int64_t>(std::nearbyint((n - rest) / d));
    if (q1 != 0 && whole > (kLimit - q0) / q1) {
      exact = false;
      break;
    }
    const int64_t p2 = p0 + whole * p1, q2 = q0 + whole * q1;
    p0 = p1, q0 = q1, p1 = p2, q1 = q2;
    n = d, d = rest;
  }
  if (!exact) {
    const int64_t k = (kLimit - q0) / q1;
    const int64_t p = p0 + k * p1, q = q0 + k * q1;
    const double wanted = small / large;
    const auto distance = [wanted](int64_t x, int64_t y) {
      return std::abs(static_cast<double>(x) / static_cast<double>(y) - wanted);
    };
    if (distance(p, q) < distance(p1, q1)) p1 = p, q1 = q;
  }
  const auto less = static_cast<int32_t>(p1), more = static_cast<int32_t>(q1);
  return scale_a < scale_b ? AddWeights{less, more} : AddWeights{more, less};
}

template <class T>
struct Binary {
  using Element = T;
  BinaryKind kind{};
  int32_t zero_a = 0, zero_b = 0;
  AddWeights weights;
  int32_t number = 0;  // added to a sum
  float m = 0.0F;
  Tail<T> tail;

  static Result<Binary> make(const BinarySpec& spec) {
    EDGETWIN_TRY(need_affine(spec.a, "input 0"));
    EDGETWIN_TRY(need_affine(spec.b, "input 1"));
    EDGETWIN_TRY(need_affine(spec.out, "the output"));
    Binary rule;
    rule.kind = spec.kind;
    rule.zero_a = zero_point(spec.a);
    rule.zero_b = zero_point(spec.b);
    rule.tail = Tail<T>::make(spec.out, spec.range, spec.edgetpu);
    const float inverse = 1.0F / scale(spec.out);
    if (spec.kind == BinaryKind::mul) {
      rule.m = (scale(spec.a) * scale(spec.b)) * inverse;
    } else if (spec.b_number) {
      rule.add_number(spec, inverse);
    } else {
      rule.weights = add_weights(scale(spec.a), scale(spec.b));
      const bool first = rule.weights.a != 0;
      const auto weight = static_cast<float>(first ? rule.weights.a : rule.weights.b);
      rule.m = (scale(first ? spec.a : spec.b) / weight) * inverse;
      if (spec.kind == BinaryKind::sub) rule.weights.b = -rule.weights.b;
    }
    EDGETWIN_TRY(need_finite(rule.m, "of the scales of inputs and output"));
    return rule;
  }
  // A number is added like a bias, in whole steps of the other operand: MoveNet's compiled program
  // subtracts 128 where the real quotient is 127.5. Whether ties go to the even integer or away is
  // not known.
  void add_number(const BinarySpec& spec, float inverse) {
    const double steps = static_cast<double>(*spec.b_number - zero_b) *
                         static_cast<double>(scale(spec.b)) / static_cast<double>(scale(spec.a));
    constexpr double kMost = 0x1p30;
    number =
        static_cast<int32_t>(round_float(std::clamp(steps, -kMost, kMost), Rounding::half_even));
    if (spec.kind == BinaryKind::sub) number = -number;
    weights = {1, 0};
    m = scale(spec.a) == scale(spec.out) ? 1.0F : scale(spec.a) * inverse;
  }

  T operator()(T a, T b) const {
    const int32_t x = a - zero_a, y = b - zero_b;
    const int32_t sum = kind == BinaryKind::mul ? x * y : weights.a * x + weights.b * y + number;
    return tail(sum, m);
  }
};

// The factor of a mean is formed as every multiplier, with a weight whose scale is 1 / count.
inline float mean_multiplier(float in, int64_t count, float out) {
  return multiplier(in, 1.0F / static_cast<float>(count), out);
}

// The sum of a window is exact, and scaled once.
template <class T>
struct Pool {
  using Element = T;
  using Acc = int32_t;
  PoolKind kind{};
  int32_t zero_in = 0;
  float in_scale = 1.0F, out_scale = 1.0F;
  float ratio = 1.0F;  // of a maximum
  Tail<T> tail;

  static Result<Pool> make(const PoolSpec& spec) {
    EDGETWIN_TRY(need_affine(spec.in, "the input"));
    EDGETWIN_TRY(need_affine(spec.out, "the output"));
    Pool rule;
    rule.kind = spec.kind;
    rule.zero_in = zero_point(spec.in);
    rule.tail = Tail<T>::make(spec.out, spec.range, spec.edgetpu);
    rule.in_scale = scale(spec.in);
    rule.out_scale = scale(spec.out);
    if (rule.in_scale != rule.out_scale) rule.ratio = rule.in_scale * (1.0F / rule.out_scale);
    EDGETWIN_TRY(need_finite(rule.ratio, "input scale * (1 / output scale)"));
    return rule;
  }
  Acc start() const { return kind == PoolKind::max ? std::numeric_limits<int32_t>::min() : 0; }
  Acc take(Acc acc, T x) const {
    const int32_t q = x - zero_in;
    return kind == PoolKind::max ? std::max(acc, q) : acc + q;
  }
  T finish(Acc acc, int count) const {
    if (kind == PoolKind::max) return tail(acc, ratio);
    return tail(acc, mean_multiplier(in_scale, count, out_scale));
  }
};

template <class T>
struct Reduce {
  using Element = T;
  using Acc = int64_t;
  int32_t zero_in = 0;
  float m = 1.0F;
  Tail<T> tail;

  static Result<Reduce> make(const ReduceSpec& spec) {
    EDGETWIN_TRY(need_affine(spec.in, "the input"));
    EDGETWIN_TRY(need_affine(spec.out, "the output"));
    Reduce rule;
    rule.zero_in = zero_point(spec.in);
    rule.tail = Tail<T>::make(spec.out, {}, spec.edgetpu);
    if (scale(spec.in) != scale(spec.out)) rule.m = scale(spec.in) * (1.0F / scale(spec.out));
    if (spec.kind == ReduceKind::mean) {
      rule.m = mean_multiplier(scale(spec.in), spec.count, scale(spec.out));
    }
    EDGETWIN_TRY(need_finite(rule.m, "input scale * (1 / output scale)"));
    return rule;
  }
  Acc start() const { return 0; }
  Acc take(Acc acc, T x) const { return acc + (x - zero_in); }
  T finish(Acc acc) const { return tail(acc, m); }
};

}  // namespace edgetwin::numerics::edgetpu

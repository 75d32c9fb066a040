// Two operands, element by element. Included once per instruction set, after PairVec.
#pragma once

#include "kernels/core/pair_table.h"

namespace edgetwin::kernels::EDGETWIN_ISA_NAMESPACE {

struct PairStage {
  using I = PairVec::I;
  I multiplier, addend, left, right, sign;

  explicit PairStage(const FixedStage& s)
      : multiplier(PairVec::broadcast(s.multiplier)),
        addend(PairVec::broadcast64(s.addend)),
        left(PairVec::broadcast(s.left)),
        right(PairVec::broadcast(s.right)),
        sign(PairVec::broadcast(s.sign)) {}

  I operator()(I x) const { return of(x, x); }
  // `factor` is multiplied, the sign is that of `x`.
  I of(I factor, I x) const {
    const I y = PairVec::shift_left(factor, left);
    const I even = PairVec::add64(PairVec::multiply_even(y, multiplier), addend);
    const I odd = PairVec::add64(PairVec::multiply_even(PairVec::odd_lanes(y), multiplier), addend);
    const I negative = PairVec::shift_right_unsigned(x, sign);
    return PairVec::shift_right(PairVec::subtract(PairVec::upper_halves(even, odd), negative),
                                right);
  }
};

// From the two operands to the result before its zero point.
template <PairForm form>
struct PairRule {
  using I = PairVec::I;
  PairStage a, b, out;
  bool less_b;

  explicit PairRule(const PairConstants& c) : a(c.a), b(c.b), out(c.out), less_b(c.less_b) {}
  I operator()(I x, I y, unsigned) const {
    if constexpr (form == PairForm::product) return out(PairVec::multiply(x, y));
    if constexpr (form == PairForm::less_product) {
      const I product = PairVec::multiply(x, y);
      return out.of(PairVec::subtract(PairVec::broadcast(0), product), product);
    }
    const I p = a(x), q = b(y);
    return out(less_b ? PairVec::subtract(p, q) : PairVec::add(p, q));
  }
};

template <bool product>
struct FloatPairRule {
  using I = PairVec::I;
  using F = PairVec::F;
  I weight_a, weight_b, number;
  F factor, low, high;
  int64_t* ties;

  explicit FloatPairRule(const PairConstants& c)
      : weight_a(PairVec::broadcast(c.weight_a)),
        weight_b(PairVec::broadcast(c.weight_b)),
        number(PairVec::broadcast(c.number)),
        factor(PairVec::broadcast_float(c.factor)),
        low(PairVec::broadcast_float(c.float_low)),
        high(PairVec::broadcast_float(c.float_high)),
        ties(c.ties) {}
  I operator()(I x, I y, unsigned exists) const {
    const I sum = product ? PairVec::multiply(x, y)
                          : PairVec::add(PairVec::add(PairVec::multiply(x, weight_a),
                                                      PairVec::multiply(y, weight_b)),
                                         number);
    const F f =
        PairVec::clamp_floats(PairVec::multiply_floats(PairVec::to_floats(sum), factor), low, high);
    const I rounded = PairVec::round_to_even(f);
    const unsigned met = PairVec::half_apart(f, rounded) & exists;
    if (__builtin_expect(met != 0, 0)) {
      __atomic_fetch_add(ties, int64_t{__builtin_popcount(met)}, __ATOMIC_RELAXED);
    }
    return rounded;
  }
};

// An operand, with what it takes to read whole vectors of it.
template <int bytes>
struct PairOperand {
  static constexpr std::size_t kVector = PairVec::kLanes * bytes;
  alignas(64) std::byte repeated[kVector];
  const std::byte* at;
  std::ptrdiff_t step;

  PairOperand(const std::byte* p, int moves)
      : at(p), step(moves * static_cast<std::ptrdiff_t>(kVector)) {
    if (moves != 0) return;
    for (std::size_t i = 0; i < kVector; ++i) repeated[i] = p[i % bytes];
    at = repeated;
  }
};

template <int bytes, class Rule>
void pair_loop(const PairConstants& c, const PairRun& run) {
  using I = PairVec::I;
  constexpr int kLanes = PairVec::kLanes;
  constexpr std::size_t kVector = std::size_t{kLanes} * bytes;
  const Rule rule(c);
  const I mask = PairVec::broadcast(c.mask);
  const I zero_a = PairVec::broadcast(c.zero_a), zero_b = PairVec::broadcast(c.zero_b);
  const I zero = PairVec::broadcast(c.zero_out);
  const I low = PairVec::broadcast(c.low), high = PairVec::broadcast(c.high);
  PairOperand<bytes> a(run.a, run.step_a), b(run.b, run.step_b);
  const auto one = [&](const std::byte* p, const std::byte* q, std::byte* to, unsigned exists) {
    const I x = PairVec::subtract(PairVec::bit_and(PairVec::widen<bytes>(p), mask), zero_a);
    const I y = PairVec::subtract(PairVec::bit_and(PairVec::widen<bytes>(q), mask), zero_b);
    const I sum = PairVec::add(rule(x, y, exists), zero);
    PairVec::narrow<bytes>(to, PairVec::clamp(sum, low, high));
  };
  std::byte* out = run.out;
  std::ptrdiff_t left = run.count;
  for (; left >= kLanes; left -= kLanes) {
    one(a.at, b.at, out, ~0U);
    a.at += a.step;
    b.at += b.step;
    out += kVector;
  }
  if (left == 0) return;
  std::byte p[kVector] = {}, q[kVector] = {}, to[kVector];
  const auto rest = static_cast<std::size_t>(left) * bytes;
  __builtin_memcpy(p, a.at, rest);
  __builtin_memcpy(q, b.at, rest);
  one(p, q, to, (1U << left) - 1);
  __builtin_memcpy(out, to, rest);
}

inline void pairs(const PairConstants& c, const PairRun& run) {
  const bool words = c.element_bytes == 2;
  switch (c.form) {
    case PairForm::halves:
      return words ? pair_loop<2, PairRule<PairForm::halves>>(c, run)
                   : pair_loop<1, PairRule<PairForm::halves>>(c, run);
    case PairForm::product:
      return words ? pair_loop<2, PairRule<PairForm::product>>(c, run)
                   : pair_loop<1, PairRule<PairForm::product>>(c, run);
    case PairForm::less_product:
      return words ? pair_loop<2, PairRule<PairForm::less_product>>(c, run)
                   : pair_loop<1, PairRule<PairForm::less_product>>(c, run);
    case PairForm::float_sum:
      return pair_loop<1, FloatPairRule<false>>(c, run);
    case PairForm::float_product:
      return pair_loop<1, FloatPairRule<true>>(c, run);
  }
}

}  // namespace edgetwin::kernels::EDGETWIN_ISA_NAMESPACE

// Store stages: from a vector of sums to a vector of results that still count in 32 bits. Each is a
// type with load-time constants and a vector-level operator(); tail_plan.cc derives them.
//
// This header is included once per instruction set, with EDGETWIN_ISA_NAMESPACE naming it and `Vec`
// defined there.
#pragma once

#include "kernels/core/table8.h"

namespace edgetwin::kernels::EDGETWIN_ISA_NAMESPACE {

using I = Vec::I;

// Upper halves of x * multiplier + addend, for constants of one vector of channels.
struct HighProduct {
  I multiplier, multiplier_odd, even, odd;

  explicit HighProduct(const int32_t* words)
      : multiplier(Vec::load(words + kMultiplier * Vec::kLanes)),
        multiplier_odd(Vec::odd_lanes(multiplier)),
        even(Vec::load(words + kAddEven * Vec::kLanes)),
        odd(Vec::load(words + kAddOdd * Vec::kLanes)) {}

  I operator()(I x) const {
    const I p = Vec::add64(Vec::multiply_even(x, multiplier), even);
    const I q = Vec::add64(Vec::multiply_even(Vec::odd_lanes(x), multiplier_odd), odd);
    return Vec::upper_halves(p, q);
  }
};

struct RightShift {
  HighProduct product;
  I right;

  RightShift(const TailTable&, const int32_t* words)
      : product(words), right(Vec::load(words + kRightShift * Vec::kLanes)) {}
  I operator()(I x) const { return Vec::shift_right(product(x), right); }
};

struct BothShifts {
  HighProduct product;
  I left, right;

  BothShifts(const TailTable&, const int32_t* words)
      : product(words),
        left(Vec::load(words + kLeftShift * Vec::kLanes)),
        right(Vec::load(words + kRightShift * Vec::kLanes)) {}
  I operator()(I x) const { return Vec::shift_right(product(Vec::shift_left(x, left)), right); }
};

struct SignedDouble {
  HighProduct product;
  I left, right, sign;

  SignedDouble(const TailTable&, const int32_t* words)
      : product(words),
        left(Vec::load(words + kLeftShift * Vec::kLanes)),
        right(Vec::load(words + kRightShift * Vec::kLanes)),
        sign(Vec::load(words + kSignShift * Vec::kLanes)) {}
  I operator()(I x) const {
    const I negative = Vec::shift_right_unsigned(x, sign);
    const I y = Vec::subtract(product(Vec::shift_left(x, left)), negative);
    return Vec::shift_right(y, right);
  }
};

// Half is in the sum already.
struct HalfUp {
  I right;

  HalfUp(const TailTable&, const int32_t* words)
      : right(Vec::load(words + kRightShift * Vec::kLanes)) {}
  I operator()(I x) const { return Vec::shift_right(x, right); }
};

struct HalfEven {
  I right, fraction, tie;

  HalfEven(const TailTable&, const int32_t* words)
      : right(Vec::load(words + kRightShift * Vec::kLanes)),
        fraction(Vec::load(words + kFractionMask * Vec::kLanes)),
        tie(Vec::load(words + kTieMask * Vec::kLanes)) {}
  I operator()(I x) const {
    return Vec::clear_where_zero(Vec::shift_right(x, right), tie, x, fraction);
  }
};

// The Edge TPU's product in single precision. Ties are counted where the output exists.
struct FloatEven {
  using F = Vec::F;
  const TailTable& tail;
  const int32_t* words;
  F factor, low, high;
  I zero;

  FloatEven(const TailTable& table, const int32_t* constants)
      : tail(table),
        words(constants),
        factor(Vec::load_floats(constants + kFactor * Vec::kLanes)),
        low(Vec::broadcast_float(table.low)),
        high(Vec::broadcast_float(table.high)),
        zero(Vec::broadcast(table.zero_point)) {}

  I operator()(I x) const { return finish(x, true); }
  I finish(I x, bool exists) const {
    const F f = Vec::clamp_floats(Vec::multiply_floats(Vec::to_floats(x), factor), low, high);
    const I rounded = Vec::round_to_even(f);
    const unsigned ties = Vec::half_apart(f, rounded);
    if (__builtin_expect(ties != 0 && exists, 0)) {
      __atomic_fetch_add(tail.ties, int64_t{__builtin_popcount(ties)}, __ATOMIC_RELAXED);
    }
    if (__builtin_expect(tail.large != nullptr, 0) && exists) count_large(x);
    return Vec::add(rounded, zero);
  }

  // Lanes without a channel have a factor of zero.
  __attribute__((noinline)) void count_large(I x) const {
    int32_t lanes[Vec::kLanes];
    Vec::store(lanes, x);
    int64_t count = 0;
    for (int i = 0; i < Vec::kLanes; ++i) {
      const auto f = static_cast<float>(lanes[i]);
      float m;
      __builtin_memcpy(&m, words + kFactor * Vec::kLanes + i, sizeof m);
      const float product = f * m;
      const bool within = product >= tail.low && product <= tail.high;
      count += static_cast<int64_t>(f) != lanes[i] && within && m != 0.0F;
    }
    if (count > 0) __atomic_fetch_add(tail.large, count, __ATOMIC_RELAXED);
  }
};

// The definition itself, lane by lane, where a sum may wrap or a shift is out of the ordinary.
struct General {
  const TailTable& tail;
  const int32_t* words;

  General(const TailTable& table, const int32_t* w) : tail(table), words(w) {}
  I operator()(I x) const { return finish(x, true); }
  __attribute__((noinline)) I finish(I x, bool exists) const {
    alignas(64) int32_t lanes[Vec::kLanes];
    Vec::store(lanes, x);
    if (exists) {
      tail.general(lanes, words, Vec::kLanes, tail);
    } else {
      int64_t not_counted = 0;
      TailTable other = tail;
      other.ties = &not_counted;
      tail.general(lanes, words, Vec::kLanes, other);
    }
    return Vec::load(lanes);
  }
};

// Calls body.operator()<Tail>() with the stage of this kind.
template <class Body>
[[gnu::always_inline]] inline auto with_tail(TailKind kind, const Body& body) {
  switch (kind) {
    case TailKind::right_shift:
      return body.template operator()<RightShift>();
    case TailKind::both_shifts:
      return body.template operator()<BothShifts>();
    case TailKind::signed_double:
      return body.template operator()<SignedDouble>();
    case TailKind::half_up:
      return body.template operator()<HalfUp>();
    case TailKind::half_even:
      return body.template operator()<HalfEven>();
    case TailKind::float_even:
      return body.template operator()<FloatEven>();
    case TailKind::general:
      break;
  }
  return body.template operator()<General>();
}

// Stages that look at more than the sum are told whether the output exists.
template <class Tail>
[[gnu::always_inline]] inline I finish_sum(const Tail& tail, I x, bool exists) {
  if constexpr (__is_same(Tail, FloatEven) || __is_same(Tail, General)) {
    return tail.finish(x, exists);
  } else {
    return tail(x);
  }
}

}  // namespace edgetwin::kernels::EDGETWIN_ISA_NAMESPACE

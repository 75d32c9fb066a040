// Store stages of layers of 16 bits, on vectors of sums in two words: (high << unit) + low.
// tail16_plan.cc derives them. Included once per instruction set, after Vec.
#pragma once

#include "kernels/core/table16.h"

namespace edgetwin::kernels::EDGETWIN_ISA_NAMESPACE {

using I = Vec::I;

template <Tail16Kind K, bool Even>
struct Tail16 {
  I right, left, low_shift, low_mask, high_mask, tie, unit, unit_mask;

  Tail16(const Tail16Table& tail, const int32_t* words)
      : right(row(words, kRight16)),
        left(row(words, kLeft16)),
        low_shift(row(words, kLow16)),
        low_mask(row(words, kLowMask16)),
        high_mask(row(words, kHighMask16)),
        tie(row(words, kTieMask16)),
        unit(Vec::broadcast(tail.unit)),
        unit_mask(Vec::broadcast((1 << tail.unit) - 1)) {}
  static I row(const int32_t* words, int i) { return Vec::load(words + i * Vec::kLanes); }

  [[gnu::always_inline]] I operator()(I low, I high) const {
    if constexpr (K == Tail16Kind::narrow) {
      const I y = Vec::shift_right(low, right);
      return Even ? Vec::clear_where_zero(y, tie, low, low_mask) : y;
    }
    const I upper = Vec::add(high, Vec::shift_right(low, unit));
    const I rest = Vec::bit_and(low, unit_mask);
    I y = Vec::shift_right(upper, right);
    if constexpr (K == Tail16Kind::both) {
      y = Vec::clamp(y, Vec::broadcast(-32769), Vec::broadcast(32768));
      y = Vec::add(Vec::shift_left(y, left), Vec::shift_right_unsigned(rest, low_shift));
    }
    if constexpr (!Even) return y;
    const I fraction = Vec::bit_or(Vec::bit_and(rest, low_mask), Vec::bit_and(upper, high_mask));
    return Vec::clear_where_zero(y, tie, fraction, fraction);
  }
};

template <bool Even>
struct Tail16<Tail16Kind::general, Even> {
  const Tail16Table& tail;
  const int32_t* words;

  Tail16(const Tail16Table& table, const int32_t* w) : tail(table), words(w) {}
  __attribute__((noinline)) I operator()(I low, I high) const {
    alignas(64) int32_t lows[Vec::kLanes], highs[Vec::kLanes];
    Vec::store(lows, low);
    Vec::store(highs, high);
    tail.general(lows, highs, words, Vec::kLanes, tail);
    return Vec::load(lows);
  }
};

// body.template operator()<Tail>() for the tail that the table asks for.
template <class Body>
void with_tail16(const Tail16Table& tail, const Body& body) {
  switch (tail.kind) {
    case Tail16Kind::narrow:
      return tail.even ? body.template operator()<Tail16<Tail16Kind::narrow, true>>()
                       : body.template operator()<Tail16<Tail16Kind::narrow, false>>();
    case Tail16Kind::upper:
      return tail.even ? body.template operator()<Tail16<Tail16Kind::upper, true>>()
                       : body.template operator()<Tail16<Tail16Kind::upper, false>>();
    case Tail16Kind::both:
      return tail.even ? body.template operator()<Tail16<Tail16Kind::both, true>>()
                       : body.template operator()<Tail16<Tail16Kind::both, false>>();
    case Tail16Kind::general:
      return body.template operator()<Tail16<Tail16Kind::general, false>>();
  }
}

}  // namespace edgetwin::kernels::EDGETWIN_ISA_NAMESPACE

// The store stages of 16 bits, for a shift s, and why they are exact. Let T = high 2^u + low, U =
// high + (low >> u), and R the low u bits of low: T = U 2^u + R with 0 <= R < 2^u.
//   upper: all s >= u. floor(T / 2^s) = floor(U / 2^(s-u)), as nested floors are one.
//   both: else. floor(T / 2^s) = U 2^(u-s) + floor(R / 2^s) for s < u. U 2^(u-s) must not wrap: U
//     is clamped to -2^15 - 1 and 2^15 first, which changes only results beyond 16 bits on the same
//     side, and needs u - s <= 15. With shifts to the right of max(s - u, 0) and s and to the left
//     of max(u - s, 0) the same instructions serve s >= u, where R >> s is zero.
//   ties to even: T, which has half a unit in it, has s zero bits at the bottom if and only if the
//     sum was at a tie (tail_plan.cc): those of R, and s - u of U where s > u.
// They need |U| < 2^31. Else the general form computes the definition in 64 bits, without the bias
// in the sums.
#include <algorithm>

#include "kernels/i16/layer.h"
#include "numerics/rounding.h"

namespace edgetwin::kernels {
namespace {

using numerics::Rounding;

Tail16Kind choose_tail(const Layer16& layer, int unit) {
  bool narrow = true, upper = true, cheap = true;
  for (int c = 0; c < layer.spec.window.out_c; ++c) {
    const int shift = layer.spec.tail.shift_of(c);
    const int64_t bound = layer.bound(c) + magnitude(layer.constant(c));
    narrow = narrow && shift <= 31 && bound < kWordLimit;
    upper = upper && shift >= unit;
    cheap = cheap && unit - shift <= 15 && bound >> unit < kWordLimit / 2;
  }
  if (narrow) return Tail16Kind::narrow;
  if (!cheap) return Tail16Kind::general;
  return upper ? Tail16Kind::upper : Tail16Kind::both;
}

template <Rounding R>
void general(int32_t* low, const int32_t* high, const int32_t* words, int count,
             const Tail16Table& tail) {
  for (int i = 0; i < count; ++i) {
    const int64_t bias = (int64_t{words[kBiasHigh16 * count + i]} << 32) |
                         static_cast<uint32_t>(words[kBiasLow16 * count + i]);
    const int64_t sum = (int64_t{high[i]} << tail.unit) + low[i] + bias;
    const int64_t y = numerics::rounding_shift(sum, words[kShift16 * count + i], R);
    low[i] = static_cast<int32_t>(std::clamp<int64_t>(y, tail.act_min, tail.act_max));
  }
}

// The words of one lane, `lanes` apart.
void fill_tail(int32_t* to, int lanes, const Tail16Table& tail, int shift, int64_t bias) {
  const auto at = [&](int row) -> int32_t& { return to[row * lanes]; };
  if (tail.kind == Tail16Kind::general) {
    at(kShift16) = shift;
    at(kBiasLow16) = wrapped(bias);
    at(kBiasHigh16) = static_cast<int32_t>(bias >> 32);
    return;
  }
  at(kTieMask16) = shift > 0 ? 1 : 0;
  if (tail.kind == Tail16Kind::narrow) {
    at(kRight16) = shift;
    at(kLowMask16) = low_bits(shift);
    return;
  }
  at(kRight16) = std::max(shift - tail.unit, 0);
  at(kLeft16) = std::max(tail.unit - shift, 0);
  at(kLow16) = shift;
  at(kLowMask16) = low_bits(std::min(shift, tail.unit));
  at(kHighMask16) = low_bits(std::clamp(shift - tail.unit, 0, 31));
}

}  // namespace

void plan_tail16(const Layer16& layer, Conv16Plan& plan, int unit,
                 const std::vector<int>& channels) {
  const ShiftTail& from = layer.spec.tail;
  Tail16Table& tail = plan.tail;
  tail.kind = choose_tail(layer, unit);
  tail.even = from.rounding == Rounding::half_even;
  tail.unit = unit;
  tail.act_min = static_cast<int16_t>(from.act_min);
  tail.act_max = static_cast<int16_t>(from.act_max);
  tail.general = tail.even ? general<Rounding::half_even> : general<Rounding::half_up>;
  plan.split = tail.kind != Tail16Kind::narrow;
  const int lanes = plan.table->lanes;
  plan.tail_words = AlignedArray<int32_t>(channels.size() * kTail16Rows);
  for (std::size_t i = 0; i < channels.size(); ++i) {
    if (channels[i] < 0) continue;
    const std::size_t lane = i % static_cast<std::size_t>(lanes);
    fill_tail(plan.tail_words.data() + (i - lane) * kTail16Rows + lane, lanes, tail,
              from.shift_of(channels[i]), layer.bias(channels[i]));
  }
  tail.words = plan.tail_words.data();
}

}  // namespace edgetwin::kernels

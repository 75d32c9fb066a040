// Cheap forms of requantization, and why they are exact.
//
// Let x be the sum, m the multiplier (0 <= m < 2^31), s the shift, e = max(0, -s), z the output's
// zero point. Double rounding is y = R(S(x 2^max(s,0) m), e) + z. S, the doubling high product, is
// floor((p + 2^30) / 2^31) for both signs of p: the nudge 1 - 2^30 and the truncation of a negative
// quotient amount to it. R(v, e) is v / 2^e, ties away from zero: floor((v + h - [v < 0]) / 2^e)
// with h = 2^(e-1), and v where e = 0. Single rounding is y = floor((x m + 2^(30-s)) / 2^(31-s)) +
// z. Nested floors of divisions are one floor.
//
// right_shift, s < 0: y = floor((x m + C) / 2^(31+e)) with C = 2^30 + 2^(30+e) + z 2^(31+e) is
// double rounding for x >= 0. For x < 0 it is at most z, as 2^30 + 2^(30+e) < 2^(31+e); so is the
// definition, and where act_min >= z both clamp to act_min. With C = 2^(30+e) + z 2^(31+e) it is
// single rounding for every x. The division is taking the upper 32 bits, then a shift by e - 1 >=
// 0.
//
// both_shifts, s >= 0: with the sum shifted left by s + 1 and C = 2^31 + z 2^32, the upper 32 bits
// are the result, for both roundings and every x.
//
// signed_double, any s: the sum is shifted left by max(s, 0) + 1, C = 2^31 + [e > 0] 2^(31+e) +
// z 2^(32+e); then the upper 32 bits are S + [e > 0] h + z 2^e. [e > 0][x < 0] is subtracted, and
// the rest shifted by e. x < 0 stands for S < 0: they differ only for S = 0, where floor((h - 1) /
// 2^e) = 0.
//
// What they need: |x| 2^left < 2^31 (else the definition wraps, and we must as well), and
// |x m| + C < 2^63: e <= 21 with |z| < 2^8. Else the general form computes the definition itself.
#include "kernels/tail_plan.h"

#include <algorithm>
#include <cstring>

namespace edgetwin::kernels {
namespace {

using numerics::QuantizedMultiplier;
using numerics::Requantization;

constexpr int kMaxRightShift = 21;

QuantizedMultiplier multiplier_of(const AffineTail& tail, int channel) {
  return tail.multipliers.size() == 1 ? tail.multipliers[0]
                                      : tail.multipliers[static_cast<std::size_t>(channel)];
}

int left_shift_of(QuantizedMultiplier m, TailKind kind) {
  if (kind == TailKind::signed_double) return std::max(m.shift, 0) + 1;
  return m.shift >= 0 ? m.shift + 1 : 0;
}

bool fits(QuantizedMultiplier m, TailKind kind, int64_t bound) {
  if (m.multiplier < 0 || m.shift < -kMaxRightShift || m.shift > 30) return false;
  return bound < (int64_t{1} << (31 - left_shift_of(m, kind)));
}

TailKind choose(const TailRequest& request) {
  const bool no_negatives = request.tail.act_min >= request.tail.output_zero_point;
  TailKind kind = TailKind::right_shift;
  if (request.tail.requantization == Requantization::double_rounding && !no_negatives) {
    kind = TailKind::signed_double;
  }
  bool left = false;
  for (const int channel : request.lane_channels) {
    if (channel < 0) continue;
    const QuantizedMultiplier m = multiplier_of(request.tail, channel);
    if (!fits(m, kind, request.bounds[static_cast<std::size_t>(channel)])) return TailKind::general;
    left = left || m.shift >= 0;
  }
  return kind == TailKind::right_shift && left ? TailKind::both_shifts : kind;
}

int64_t addend(QuantizedMultiplier m, TailKind kind, Requantization requantization, int64_t z) {
  const auto power = [](int exponent) { return int64_t{1} << exponent; };
  const int e = std::max(0, -m.shift);
  if (kind == TailKind::signed_double) {
    return power(31) + (e > 0 ? power(31 + e) : 0) + z * power(32 + e);
  }
  if (m.shift >= 0) return power(31) + z * power(32);
  const int64_t first = requantization == Requantization::double_rounding ? power(30) : 0;
  return first + power(30 + e) + z * power(31 + e);
}

template <Requantization R>
void general(int32_t* sums, const int32_t* words, int count, const TailTable& tail) {
  for (int i = 0; i < count; ++i) {
    const QuantizedMultiplier m{words[kMultiplier * count + i], words[kLeftShift * count + i]};
    const int64_t y = int64_t{numerics::multiply_by_quantized_multiplier<R>(sums[i], m)};
    sums[i] =
        static_cast<int32_t>(std::clamp<int64_t>(y + tail.zero_point, tail.act_min, tail.act_max));
  }
}

void fill_lane(int32_t* vector, int lane, int lanes, QuantizedMultiplier m, const TailTable& tail,
               Requantization requantization) {
  vector[kMultiplier * lanes + lane] = m.multiplier;
  if (tail.kind == TailKind::general) {
    vector[kLeftShift * lanes + lane] = m.shift;
    return;
  }
  const int e = std::max(0, -m.shift);
  const bool doubled = tail.kind == TailKind::signed_double || e == 0;
  vector[kLeftShift * lanes + lane] = left_shift_of(m, tail.kind);
  vector[kRightShift * lanes + lane] = doubled ? e : e - 1;
  vector[kSignShift * lanes + lane] = e > 0 ? 31 : 32;
  const int64_t c = addend(m, tail.kind, requantization, tail.zero_point);
  const int row = lane % 2 == 0 ? kAddEven : kAddOdd;
  std::memcpy(vector + row * lanes + lane / 2 * 2, &c, sizeof c);
}

}  // namespace

TailTable plan_tail(const TailRequest& request, AlignedArray<int32_t>& words) {
  const AffineTail& affine = request.tail;
  const int32_t less = request.is_unsigned ? 128 : 0;
  TailTable table;
  table.kind = choose(request);
  table.zero_point = affine.output_zero_point - less;
  table.act_min = static_cast<int8_t>(affine.act_min - less);
  table.act_max = static_cast<int8_t>(affine.act_max - less);
  table.flip = request.is_unsigned ? 0x80 : 0;
  table.general = affine.requantization == Requantization::double_rounding
                      ? general<Requantization::double_rounding>
                      : general<Requantization::single_rounding>;
  words = AlignedArray<int32_t>(request.lane_channels.size() * kTailRows);
  for (std::size_t i = 0; i < request.lane_channels.size(); ++i) {
    const int channel = request.lane_channels[i];
    const int lane = static_cast<int>(i) % request.lanes;
    int32_t* vector = words.data() + (i - static_cast<std::size_t>(lane)) * kTailRows;
    const QuantizedMultiplier none{0, -1};
    fill_lane(vector, lane, request.lanes, channel < 0 ? none : multiplier_of(affine, channel),
              table, affine.requantization);
  }
  table.words = words.data();
  return table;
}

}  // namespace edgetwin::kernels

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
//
// The finish of powers of two, with shift s and h = 2^(s-1), or h = 0 where s = 0:
//
// half_up: y = floor((x + h) / 2^s), and h joins the bias, so that a shift is all that is left.
//
// half_even: let t = x + h and q = floor(t / 2^s). Where s > 0, the low s bits of t are zero if and
// only if x is at a tie, and then q is the upper one of the two neighbours: the lower one, q - 1,
// is wanted if q is odd, which is q with its lowest bit cleared. So kFractionMask has the low s
// bits set, and kTieMask the lowest bit: what is cleared. Where s = 0, kTieMask is zero.
//
// Both need |x| + h < 2^31, else the general form again computes the definition, in 64 bits.
//
// The float product, float_even: the definition itself, on vectors. Sums are converted, multiplied
// and rounded by instructions that round to nearest, ties to even.
#include "kernels/i8/tail_plan.h"

#include <algorithm>
#include <atomic>
#include <bit>
#include <cmath>
#include <cstring>

namespace edgetwin::kernels {
namespace {

using numerics::QuantizedMultiplier;
using numerics::Requantization;
using numerics::Rounding;

constexpr int kMaxRightShift = 21;

QuantizedMultiplier multiplier_of(const AffineTail& tail, int channel) {
  return tail.multipliers.size() == 1 ? tail.multipliers[0]
                                      : tail.multipliers[static_cast<std::size_t>(channel)];
}

int left_shift_of(QuantizedMultiplier m, TailKind kind) {
  if (kind == TailKind::signed_double) return std::max(m.shift, 0) + 1;
  return m.shift >= 0 ? m.shift + 1 : 0;
}

int right_shift_of(QuantizedMultiplier m, TailKind kind) {
  const int e = std::max(0, -m.shift);
  return kind == TailKind::signed_double || e == 0 ? e : e - 1;
}

bool is_shift(TailKind kind) { return kind == TailKind::half_up || kind == TailKind::half_even; }

TailKind choose_shift(const TailRequest& request, const ShiftTail& tail) {
  for (const int channel : request.lane_channels) {
    if (channel < 0) continue;
    const int64_t bound = request.bounds[static_cast<std::size_t>(channel)];
    if (bound + ShiftTail::half(tail.shift_of(channel)) > INT32_MAX) return TailKind::general;
  }
  return tail.rounding == Rounding::half_up ? TailKind::half_up : TailKind::half_even;
}

bool fits(QuantizedMultiplier m, TailKind kind, int64_t bound) {
  if (m.multiplier < 0 || m.shift < -kMaxRightShift || m.shift > 30) return false;
  return bound < (int64_t{1} << (31 - left_shift_of(m, kind)));
}

TailKind choose_affine(const TailRequest& request) {
  const AffineTail& tail = request.spec.tail;
  const bool no_negatives = tail.act_min >= tail.output_zero_point;
  TailKind kind = TailKind::right_shift;
  if (tail.requantization == Requantization::double_rounding && !no_negatives) {
    kind = TailKind::signed_double;
  }
  bool left = false;
  for (const int channel : request.lane_channels) {
    if (channel < 0) continue;
    const QuantizedMultiplier m = multiplier_of(tail, channel);
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

template <Rounding R>
void general_shift(int32_t* sums, const int32_t* words, int count, const TailTable& tail) {
  for (int i = 0; i < count; ++i) {
    const int64_t y = numerics::rounding_shift(sums[i], words[kRightShift * count + i], R);
    sums[i] = static_cast<int32_t>(std::clamp<int64_t>(y, tail.act_min, tail.act_max));
  }
}

// The float product's other options, in TailTable::options.
constexpr uint8_t kZeroPointFirst = 0x80;

template <Rounding R>
void general_float(int32_t* sums, const int32_t* words, int count, const TailTable& tail) {
  int64_t ties = 0;
  for (int i = 0; i < count; ++i) {
    const float product = static_cast<float>(sums[i]) * std::bit_cast<float>(words[i]);
    const float f = std::min(std::max(product, tail.low), tail.high);
    ties += std::abs(f - std::nearbyint(f)) == 0.5F;
    // Results count in int8 here, the chip counts in uint8.
    constexpr int32_t kToUnsigned = 128;
    const int32_t zero = tail.zero_point + kToUnsigned;
    const int32_t y =
        (tail.options & kZeroPointFirst) != 0
            ? static_cast<int32_t>(numerics::round_float(f + static_cast<float>(zero), R))
            : static_cast<int32_t>(numerics::round_float(f, R)) + zero;
    sums[i] = std::clamp<int32_t>(y - kToUnsigned, tail.act_min, tail.act_max);
  }
  if (ties > 0) std::atomic_ref<int64_t>(*tail.ties).fetch_add(ties);
}

// Where the words of one lane of one vector go.
struct LaneWords {
  int32_t* vector;
  int lane, lanes;

  int32_t& at(int row) const { return vector[row * lanes + lane]; }
};

void fill_affine(const LaneWords& words, QuantizedMultiplier m, const TailTable& tail,
                 Requantization requantization) {
  words.at(kMultiplier) = m.multiplier;
  if (tail.kind == TailKind::general) {
    words.at(kLeftShift) = m.shift;
    return;
  }
  words.at(kLeftShift) = left_shift_of(m, tail.kind);
  words.at(kRightShift) = right_shift_of(m, tail.kind);
  words.at(kSignShift) = m.shift < 0 ? 31 : 32;
  const int64_t c = addend(m, tail.kind, requantization, tail.zero_point);
  const int row = words.lane % 2 == 0 ? kAddEven : kAddOdd;
  std::memcpy(words.vector + row * words.lanes + words.lane / 2 * 2, &c, sizeof c);
}

void fill_shift(const LaneWords& words, int shift) {
  words.at(kRightShift) = shift;
  words.at(kFractionMask) = static_cast<int32_t>((int64_t{1} << shift) - 1);
  words.at(kTieMask) = shift > 0 ? 1 : 0;
}

TailTable affine_table(const TailRequest& request) {
  const AffineTail& affine = request.spec.tail;
  const int32_t less = request.spec.is_unsigned ? 128 : 0;
  TailTable table;
  table.kind = choose_affine(request);
  table.zero_point = affine.output_zero_point - less;
  table.act_min = static_cast<int8_t>(affine.act_min - less);
  table.act_max = static_cast<int8_t>(affine.act_max - less);
  table.flip = request.spec.is_unsigned ? 0x80 : 0;
  table.general = affine.requantization == Requantization::double_rounding
                      ? general<Requantization::double_rounding>
                      : general<Requantization::single_rounding>;
  return table;
}

TailTable float_table(const TailRequest& request, const FloatTail& tail) {
  TailTable table;
  table.kind = tail.options.plain_ties() ? TailKind::float_even : TailKind::general;
  table.zero_point = tail.zero_point - (request.spec.is_unsigned ? 128 : 0);
  table.act_min = -128;
  table.act_max = 127;
  table.flip = request.spec.is_unsigned ? 0x80 : 0;
  table.low = tail.low;
  table.high = tail.high;
  table.ties = tail.ties;
  table.options = tail.options.zero_point_first ? kZeroPointFirst : 0;
  switch (tail.options.ties) {
    case Rounding::truncate:
      table.general = general_float<Rounding::truncate>;
      break;
    case Rounding::floor:
      table.general = general_float<Rounding::floor>;
      break;
    case Rounding::half_up:
      table.general = general_float<Rounding::half_up>;
      break;
    case Rounding::half_away:
      table.general = general_float<Rounding::half_away>;
      break;
    case Rounding::half_even:
      table.general = general_float<Rounding::half_even>;
      break;
  }
  return table;
}

TailTable shift_table(const TailRequest& request, const ShiftTail& tail) {
  TailTable table;
  table.kind = choose_shift(request, tail);
  table.act_min = static_cast<int8_t>(tail.act_min);
  table.act_max = static_cast<int8_t>(tail.act_max);
  table.general = tail.rounding == Rounding::half_up ? general_shift<Rounding::half_up>
                                                     : general_shift<Rounding::half_even>;
  return table;
}

}  // namespace

FloatReach float_reach(const FloatTail& tail, std::span<const int64_t> bounds) {
  constexpr int64_t kExact = int64_t{1} << 24;
  const float most = std::max(std::abs(tail.low), std::abs(tail.high));
  bool large = false;
  for (std::size_t c = 0; c < bounds.size(); ++c) {
    if (bounds[c] > INT32_MAX) return FloatReach::beyond;
    // The product grows with the sum: where that of 2^24 is beyond the limits, so are all further.
    if (bounds[c] <= kExact || static_cast<float>(kExact) * tail.multipliers[c] >= most) continue;
    // The kernels count for a multiplier that is not zero, and know one conversion.
    const bool counted = tail.multipliers[c] > 0.0F && tail.large != nullptr &&
                         tail.options.plain_ties() && !tail.options.truncate_large;
    if (!counted) return FloatReach::beyond;
    large = true;
  }
  return large ? FloatReach::large : FloatReach::exact;
}

int32_t tail_bias(const ShiftTail& tail, TailKind kind, int channel) {
  return is_shift(kind) ? static_cast<int32_t>(ShiftTail::half(tail.shift_of(channel))) : 0;
}

TailTable plan_tail(const TailRequest& request, AlignedArray<int32_t>& words) {
  const std::optional<ShiftTail>& shift = request.spec.shift_tail;
  const AffineTail& affine = request.spec.tail;
  const std::optional<FloatTail>& product = request.spec.float_tail;
  TailTable table = shift     ? shift_table(request, *shift)
                    : product ? float_table(request, *product)
                              : affine_table(request);
  words = AlignedArray<int32_t>(request.lane_channels.size() * kTailRows);
  for (std::size_t i = 0; i < request.lane_channels.size(); ++i) {
    const int channel = request.lane_channels[i];
    const int lane = static_cast<int>(i) % request.lanes;
    const LaneWords at{words.data() + (i - static_cast<std::size_t>(lane)) * kTailRows, lane,
                       request.lanes};
    if (shift) {
      fill_shift(at, channel < 0 ? 0 : shift->shift_of(channel));
    } else if (product) {
      const float m = channel < 0 ? 0.0F : product->multipliers[static_cast<std::size_t>(channel)];
      at.at(kFactor) = std::bit_cast<int32_t>(m);
    } else {
      const QuantizedMultiplier none{0, -1};
      fill_affine(at, channel < 0 ? none : multiplier_of(affine, channel), table,
                  affine.requantization);
    }
  }
  table.words = words.data();
  return table;
}

}  // namespace edgetwin::kernels

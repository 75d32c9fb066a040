// Arithmetic of MAX78000 and MAX78002: activations of Q7, weights of 8, 4, 2 or 1 bit, an exact
// sum. Source: specification of the numerics 3 to 7.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>

#include "numerics/rounding.h"
#include "numerics/rules.h"
#include "numerics/saturate.h"

namespace edgetwin::numerics::max78 {

enum class Activation : uint8_t { none, relu, absolute };

// y = floor(1/2 + sum * 2^(shift - 7)), limited to 8 bits. -15 <= shift <= 15.
constexpr int64_t shifted(int64_t sum, int shift) {
  return shift <= 7 ? half_up_shift(sum, 7 - shift) : sum * (int64_t{1} << (shift - 7));
}

constexpr int8_t activated(int64_t y, Activation activation) {
  if (activation == Activation::relu) y = std::max<int64_t>(y, 0);
  const auto byte = saturate<int8_t>(y);
  if (activation != Activation::absolute || byte >= 0) return byte;
  return static_cast<int8_t>(std::min(-byte, 127));
}

// Convolutions and linear layers; `bias` has one entry per output channel, or none. It outlives
// the rule. Sums stay within 32 bits: 1024 channels of 9 taps make less than 2^28.
struct Accumulate8 {
  using In = int8_t;
  using Weight = int8_t;
  using Bias = int8_t;
  using Out = int8_t;
  using Acc = int32_t;
  static constexpr bool kExactSum = true;

  std::span<const int8_t> bias;
  int shift = 0;  // of the output: the layer's own plus 8 - bits of a weight
  Activation activation = Activation::none;

  // Scales of powers of two: the output's exponent decides the shift.
  static Result<Accumulate8> make(const AccumulateSpec&) {
    return Error(ErrorCode::op_quant, "layers of MAX7800x are computed by their own target");
  }
  Acc start(int channel) const {
    return bias.empty() ? 0 : bias[static_cast<size_t>(channel)] * 128;
  }
  Acc mac(Acc acc, In x, Weight w, int) const { return acc + x * w; }
  Out finish(Acc acc, int) const { return activated(shifted(acc, shift), activation); }
};

// The 32-bit output: the sum as it is.
struct Accumulate32 {
  using In = int8_t;
  using Weight = int8_t;
  using Bias = int8_t;
  using Out = int32_t;
  using Acc = int32_t;
  static constexpr bool kExactSum = true;

  std::span<const int8_t> bias;

  static Result<Accumulate32> make(const AccumulateSpec&) {
    return Error(ErrorCode::op_quant, "layers of MAX7800x are computed by their own target");
  }
  Acc start(int channel) const {
    return bias.empty() ? 0 : bias[static_cast<size_t>(channel)] * 128;
  }
  Acc mac(Acc acc, In x, Weight w, int) const { return acc + x * w; }
  Out finish(Acc acc, int) const { return acc; }
};

struct MaxPool {
  using Element = int8_t;
  using Acc = int32_t;
  static Result<MaxPool> make(const PoolSpec&) { return MaxPool{}; }
  Acc start() const { return -128; }
  Acc take(Acc acc, Element x) const { return std::max<Acc>(acc, x); }
  Element finish(Acc acc, int) const { return static_cast<Element>(acc); }
};

// sum / count, count > 0.
constexpr int32_t quotient(int32_t sum, int count, Rounding rounding) {
  const int32_t whole = sum / count - (sum % count < 0 ? 1 : 0);  // floor
  const int32_t rest = sum - whole * count;                       // 0 .. count - 1
  switch (rounding) {
    case Rounding::truncate:
      return sum / count;
    case Rounding::floor:
      return whole;
    case Rounding::half_up:
      return whole + (2 * rest >= count ? 1 : 0);
    case Rounding::half_away:
      return whole + (2 * rest > count || (2 * rest == count && sum > 0) ? 1 : 0);
    case Rounding::half_even:
      return whole + (2 * rest > count || (2 * rest == count && whole % 2 != 0) ? 1 : 0);
  }
  return whole;
}

// The vendor's loader truncates, or rounds half away from zero; its documents and its training code
// have other ways.
struct AveragePool {
  using Element = int8_t;
  using Acc = int32_t;
  Rounding rounding = Rounding::truncate;

  static Result<AveragePool> make(const PoolSpec&) { return AveragePool{}; }
  Acc start() const { return 0; }
  Acc take(Acc acc, Element x) const { return acc + x; }
  Element finish(Acc acc, int count) const {
    return saturate<Element>(quotient(acc, count, rounding));
  }
};

enum class Eltwise : uint8_t { none, sub, add, bit_or, bit_xor };

// One more operand; sums are not limited before the last one (saturate<int8_t>).
constexpr int32_t combined(Eltwise function, int32_t a, int32_t b) {
  switch (function) {
    case Eltwise::add:
      return a + b;
    case Eltwise::sub:
      return a - b;
    case Eltwise::bit_or:
      return a | b;
    case Eltwise::bit_xor:
      return a ^ b;
    case Eltwise::none:
      break;
  }
  return a;
}

}  // namespace edgetwin::numerics::max78

// Convolutions, Gemm and MatMul of ESP-DL. Source: specification of the runtime 3.2 (bias), 4.3.
//
// out(n) = sat(round_shift(bias(n) + sum of products, e(out) - e(in) - e(weight, n))), then Relu.
// The plain C code sums in 32 or 64 bits. The vector units sum in lanes that saturate after every
// product (ESP32-S3: 20 bits for int8, 40 bits for int16; ESP32-P4: 32 bits for int8), and the last
// channels, which do not fill a block, in a 40-bit register that saturates after every 16 (8)
// products.
#pragma once

#include <atomic>
#include <cstring>
#include <memory>
#include <vector>

#include "numerics/espdl/common.h"

namespace edgetwin::numerics::espdl {

// How sums of a channel saturate; 0 bits: they do not.
struct SumWidth {
  int bits = 0;
  int every = 1;  // products between two saturations; a tap's last products end a step too
};

template <class T, class Unit>
constexpr SumWidth sum_width(bool lane) {
  if constexpr (Unit::kVector == VectorUnit::none) return {};
  if (!lane) return {40, kLanes<T>};
  if constexpr (Unit::kVector == VectorUnit::s3) return {sizeof(T) == 1 ? 20 : 40, 1};
  return {sizeof(T) == 1 ? 32 : 0, 1};
}

// Channels [0, lane_channels) are in lanes, the rest in the scalar register.
template <class T, class Unit>
constexpr int64_t lane_channels(int64_t channels, bool depthwise) {
  if constexpr (Unit::kVector == VectorUnit::none) return 0;
  return depthwise ? channels : channels / kLanes<T> * kLanes<T>;
}

// A shift that a 32-bit register cannot do is cut to its lower bits: by the plain C code as
// compiled for the recorded results (and by RISC-V), and by the ESP32-S3's instruction, which
// shifts by one less first. What the ESP32-P4's instruction does is not known; the exact quotient
// stands in.
template <class T, class Unit>
constexpr int effective_shift(int shift) {
  if (sizeof(T) != 1 || shift <= 31) return shift;
  if constexpr (Unit::kVector == VectorUnit::none) return shift & 31;
  if constexpr (Unit::kVector == VectorUnit::s3) return ((shift - 1) & 31) + 1;
  return shift;
}

template <class T, class U>
struct Accumulate {
  using In = T;
  using Weight = T;
  using Bias = std::conditional_t<sizeof(T) == 1, int32_t, int64_t>;
  using Out = T;
  using Unit = U;
  // Plain C only; of the vector units it depends on the weights (ops/fast/conv.h).
  static constexpr bool kExactSum = Unit::kVector == VectorUnit::none;

  struct Acc {
    int64_t sum = 0;
    int64_t wide = 0;  // what the plain C code has at the same place
    int pending = 0;
  };

  std::vector<int64_t> bias;   // as the unit loads it
  std::vector<int64_t> exact;  // as the file has it
  std::vector<int> shifts;     // one per channel
  int64_t lanes = 0;
  bool relu = false;
  int widest_shift = 0;  // as the exponents ask for it
  // Results that wide sums would have given otherwise, since the counter was last taken.
  std::shared_ptr<std::atomic<int64_t>> differing = std::make_shared<std::atomic<int64_t>>(0);

  static Result<Accumulate> make(const AccumulateSpec& spec) {
    EDGETWIN_TRY(check_exponent(spec.in, "the input"));
    EDGETWIN_TRY(check_exponent(spec.out, "the output"));
    Accumulate rule;
    rule.relu = spec.range.low >= 0.0F;
    rule.lanes = lane_channels<T, Unit>(spec.channels, spec.depthwise);
    EDGETWIN_TRY(rule.set_shifts(spec));
    EDGETWIN_TRY(rule.set_bias(spec));
    return rule;
  }

  Acc start(int channel) const {
    const auto c = static_cast<size_t>(channel);
    return {bias[c], exact[c], 0};
  }

  Acc mac(Acc acc, In x, Weight w, int channel) const {
    const int64_t product = int64_t{x} * w;
    acc.sum += product;
    if constexpr (Unit::kVector == VectorUnit::none) {
      if constexpr (sizeof(T) == 1) acc.sum = static_cast<int32_t>(acc.sum);
      return acc;
    } else {
      acc.wide += product;
      const SumWidth width = sum_width<T, Unit>(channel < lanes);
      if (width.bits != 0 && ++acc.pending >= width.every) acc = saturated(acc, width.bits);
      return acc;
    }
  }

  // The scalar register also saturates where a tap's channels end.
  Acc tap_end(Acc acc, int channel) const {
    const SumWidth width = sum_width<T, Unit>(channel < lanes);
    return acc.pending == 0 || width.bits == 0 ? acc : saturated(acc, width.bits);
  }

  Out finish(Acc acc, int channel) const {
    const Out result = finish_sum(acc.sum, channel);
    if constexpr (Unit::kVector != VectorUnit::none) {
      if (acc.sum != acc.wide && finish_sum(acc.wide, channel) != result) {
        differing->fetch_add(1, std::memory_order_relaxed);
      }
    }
    return result;
  }

  Out finish_sum(int64_t sum, int channel) const {
    const int shift = shifts[static_cast<size_t>(channel)];
    const auto out = saturate<Out>(shift_round<Unit>(sum, shift));
    return relu && out < 0 ? Out{0} : out;
  }

 private:
  static Acc saturated(Acc acc, int bits) {
    acc.sum = saturate_bits(acc.sum, bits);
    acc.pending = 0;
    return acc;
  }

  Status set_shifts(const AccumulateSpec& spec) {
    for (int64_t c = 0; c < spec.channels; ++c) {
      const int e_weight = exponent(spec.weight, static_cast<size_t>(c));
      const int shift = exponent(spec.out) - exponent(spec.in) - e_weight;
      const bool vector = Unit::kVector != VectorUnit::none;
      constexpr int most = 62;
      if ((shift < 0 && vector && !spec.allow_undefined) || shift > most || shift < -31) {
        return Error(ErrorCode::op_shift, "the sum of channel " + std::to_string(c) +
                                              " would be shifted right by " +
                                              std::to_string(shift) + " bits")
            .detail("e(out) - e(in) - e(weight) = " + std::to_string(exponent(spec.out)) + " - (" +
                    std::to_string(exponent(spec.in)) + ") - (" + std::to_string(e_weight) +
                    ") = " + std::to_string(shift) + "; possible: 0 to " + std::to_string(most));
      }
      widest_shift = std::max(widest_shift, shift);
      shifts.push_back(effective_shift<T, Unit>(shift));
    }
    const bool per_channel = spec.weight.per_channel();
    if (!per_channel || Unit::kRounding == Rounding::half_even || spec.allow_undefined) return Ok{};
    return Error(ErrorCode::op_quant,
                 "the weights have an exponent per channel, which only the ESP32-P4's runtime can");
  }

  Status set_bias(const AccumulateSpec& spec) {
    exact.assign(static_cast<size_t>(spec.channels), 0);
    // With it and 2^31 products of 2^30 a sum stays far from the ends of 64 bits.
    constexpr int64_t most = int64_t{1} << 60;
    for (size_t c = 0; c < exact.size() && !spec.bias_data.empty(); ++c) {
      Bias value;
      std::memcpy(&value, spec.bias_data.data() + c * sizeof(Bias), sizeof(Bias));
      exact[c] = value;
      if (exact[c] < -most || exact[c] > most) {
        return Error(ErrorCode::op_undefined, "the bias of channel " + std::to_string(c) + " is " +
                                                  std::to_string(value) +
                                                  ", with which sums could overflow 64 bits");
      }
    }
    bias = exact;
    if constexpr (Unit::kVector != VectorUnit::s3) return Ok{};
    // The ESP32-S3's runtime packs them into lanes and drops the upper bits: they wrap.
    constexpr int bits = sizeof(T) == 1 ? 20 : 40;
    for (size_t c = 0; c < static_cast<size_t>(lanes); ++c) {
      const auto up = static_cast<uint64_t>(bias[c]) << (64 - bits);
      bias[c] = static_cast<int64_t>(up) >> (64 - bits);
    }
    return Ok{};
  }
};

}  // namespace edgetwin::numerics::espdl

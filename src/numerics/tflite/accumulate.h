// Convolutions, depthwise and transposed ones, and fully connected layers of TensorFlow Lite.
// Source: kernel specification 1.5 and section 2.
#pragma once

#include <cstring>
#include <vector>

#include "numerics/tflite/common.h"

namespace edgetwin::numerics::tflite {

template <class Bias>
std::vector<Bias> copy_bias(ByteSpan data) {
  std::vector<Bias> bias(data.size() / sizeof(Bias));
  if (!bias.empty()) std::memcpy(bias.data(), data.data(), bias.size() * sizeof(Bias));
  return bias;
}

// Section 1.5. `float_product`: the product of the two scales is rounded to float32 first.
inline Result<std::vector<QuantizedMultiplier>> output_multipliers(const AccumulateSpec& spec,
                                                                   bool float_product,
                                                                   Requantization r) {
  std::vector<QuantizedMultiplier> result;
  const double out = static_cast<double>(scale(spec.out));
  for (int64_t c = 0; c < spec.channels; ++c) {
    const float in = scale(spec.in);
    const float weight = scale(spec.weight, static_cast<size_t>(c));
    const double product = float_product ? static_cast<double>(in * weight)
                                         : static_cast<double>(in) * static_cast<double>(weight);
    const auto formula = [&] {
      return "channel " + std::to_string(c) + ": " + number(static_cast<double>(in)) + " * " +
             number(static_cast<double>(weight)) + " / " + number(out);
    };
    EDGETWIN_TRY_ASSIGN(const QuantizedMultiplier m, checked_multiplier(product / out, r, formula));
    result.push_back(m);
  }
  return result;
}

// The rule of section 1.5 that a bias must be counted in units of input times weight.
inline Status check_bias_scale(const AccumulateSpec& spec) {
  if (spec.bias_data.empty() || !spec.bias.present()) return Ok{};
  const double product =
      static_cast<double>(scale(spec.in)) * static_cast<double>(scale(spec.weight));
  const double bias = static_cast<double>(scale(spec.bias));
  const double out = static_cast<double>(scale(spec.out));
  if (std::abs(product - bias) / out <= 0.02) return Ok{};
  return Error(ErrorCode::op_quant, "the bias is not in units of input scale times weight scale")
      .detail("|" + number(product) + " - " + number(bias) + "| / " + number(out) + " = " +
              number(std::abs(product - bias) / out) + ", the limit is 0.02");
}

// 8-bit activations and weights of the same signedness, 32-bit sums.
template <class T, Requantization R>
struct Accumulate8 {
  using In = T;
  using Weight = T;
  using Bias = int32_t;
  using Out = T;
  using Acc = int32_t;
  static constexpr bool kExactSum = true;

  int32_t input_offset = 0;
  int32_t weight_offset = 0;
  int32_t output_zero_point = 0;
  Range range{};
  Requantization requantization = R;
  std::vector<Bias> bias;
  std::vector<QuantizedMultiplier> multipliers;

  static Result<Accumulate8> make(const AccumulateSpec& spec) {
    EDGETWIN_TRY(need_affine(spec.in, "the input"));
    EDGETWIN_TRY(need_affine(spec.weight, "the filter"));
    EDGETWIN_TRY(need_affine(spec.out, "the output"));
    constexpr bool is_unsigned = std::is_same_v<T, uint8_t>;
    const bool per_channel = spec.weight.per_channel();
    if (is_unsigned && per_channel) {
      return Error(ErrorCode::op_quant, "a uint8 filter with a scale per channel");
    }
    if (is_unsigned || spec.fully_connected) EDGETWIN_TRY(check_bias_scale(spec));
    Accumulate8 rule;
    EDGETWIN_TRY_ASSIGN(
        rule.multipliers,
        output_multipliers(spec, is_unsigned || (spec.fully_connected && !per_channel), R));
    // Section 2.2: this one kernel rounds twice in either build.
    if (is_unsigned && spec.depthwise) rule.requantization = Requantization::double_rounding;
    rule.input_offset = -zero_point(spec.in);
    // int8 filters are symmetric; only a fully connected layer honours their zero point.
    if (is_unsigned || spec.fully_connected) rule.weight_offset = -zero_point(spec.weight);
    rule.output_zero_point = zero_point(spec.out);
    rule.range = activation_range<T>(spec.range, spec.out);
    rule.bias = copy_bias<Bias>(spec.bias_data);
    return rule;
  }

  Acc start(int channel) const { return bias.empty() ? 0 : bias[static_cast<size_t>(channel)]; }
  Acc mac(Acc acc, In x, Weight w, int) const {
    return wrapping_add(acc, (x + input_offset) * (w + weight_offset));
  }
  Out finish(Acc acc, int channel) const {
    const QuantizedMultiplier m = multipliers[static_cast<size_t>(channel)];
    const int32_t scaled = requantization == Requantization::double_rounding
                               ? multiply_double_rounding(acc, m)
                               : multiply_single_rounding(acc, m);
    return clamp_to<Out>(int64_t{scaled} + output_zero_point, range);
  }
};

// 16-bit activations, symmetric 8-bit weights. With an int64 bias (or none) the sum has 64 bits and
// is finished by the 48-bit multiply, with an int32 bias it has 32 bits.
template <class BiasType, Requantization R>
struct Accumulate16x8 {
  using In = int16_t;
  using Weight = int8_t;
  using Bias = BiasType;
  using Out = int16_t;
  using Acc = BiasType;
  static constexpr bool kExactSum = true;

  int32_t output_zero_point = 0;
  Range range{};
  std::vector<Bias> bias;
  std::vector<QuantizedMultiplier> multipliers;

  static Result<Accumulate16x8> make(const AccumulateSpec& spec) {
    EDGETWIN_TRY(need_affine(spec.in, "the input"));
    EDGETWIN_TRY(need_affine(spec.weight, "the filter"));
    EDGETWIN_TRY(need_affine(spec.out, "the output"));
    if (zero_point(spec.in) != 0 || zero_point(spec.out) != 0) {
      return Error(ErrorCode::op_quant, "16-bit activations must have zero point 0");
    }
    Accumulate16x8 rule;
    EDGETWIN_TRY_ASSIGN(rule.multipliers, output_multipliers(spec, false, R));
    for (const QuantizedMultiplier& m : rule.multipliers) {
      if (std::is_same_v<Bias, int64_t> && m.shift >= 8) {
        return Error(ErrorCode::op_quant, "a multiplier of 2^7 or more with 16-bit activations");
      }
    }
    rule.range = activation_range<int16_t>(spec.range, spec.out);
    rule.bias = copy_bias<Bias>(spec.bias_data);
    return rule;
  }

  Acc start(int channel) const { return bias.empty() ? 0 : bias[static_cast<size_t>(channel)]; }
  Acc mac(Acc acc, In x, Weight w, int) const {
    using Unsigned = std::make_unsigned_t<Acc>;
    return static_cast<Acc>(static_cast<Unsigned>(acc) + static_cast<Unsigned>(Acc{x} * w));
  }
  Out finish(Acc acc, int channel) const {
    const QuantizedMultiplier m = multipliers[static_cast<size_t>(channel)];
    if constexpr (std::is_same_v<Acc, int64_t>) {
      // Beyond 48 bits the reference is undefined; saturating keeps the result defined.
      return clamp_to<Out>(multiply_wide(saturate_bits(acc, 48), m), range);
    } else {
      return clamp_to<Out>(multiply_by_quantized_multiplier<R>(acc, m), range);
    }
  }
};

}  // namespace edgetwin::numerics::tflite

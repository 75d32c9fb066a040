// SOFTMAX of TensorFlow Lite in fixed point. Source: kernel specification 4.2.
#pragma once

#include <array>
#include <optional>

#include "numerics/fixed_functions.h"
#include "numerics/tflite/functions.h"

namespace edgetwin::numerics::tflite {

template <class InType, class OutType, Requantization R>
struct Softmax {
  static_assert(sizeof(InType) == 1);
  using In = InType;
  using Out = OutType;
  static constexpr int kOutBits = 8 * static_cast<int>(sizeof(Out));
  static constexpr int kAccumulationBits = 12;  // integer bits of the sum

  QuantizedMultiplier m;
  int32_t diff_min = 0;                     // below it the exponential is taken as 0
  std::array<int32_t, 256> exponentials{};  // of the differences 0, -1, … -255

  static Result<Softmax> make(const SoftmaxSpec& spec) {
    EDGETWIN_TRY(need_affine(spec.in, "the input"));
    EDGETWIN_TRY(need_affine(spec.out, "the output"));
    EDGETWIN_TRY(need_output(spec.out, 1.0F / (1 << kOutBits), std::numeric_limits<Out>::min()));
    const double beta_scale = static_cast<double>(spec.beta) * static_cast<double>(scale(spec.in));
    constexpr double kLimit = R == Requantization::double_rounding ? 2147483647.0 : 1073741823.0;
    const double real = std::min(beta_scale * (1 << 26), kLimit);
    if (!(real > 1.0)) {
      return Error(ErrorCode::op_quant, "beta times the input scale is too small")
          .detail("beta * scale * 2^26 = " + number(real) + ", it must be above 1");
    }
    Softmax rule;
    EDGETWIN_TRY_ASSIGN(rule.m, checked_softmax_multiplier(real));
    rule.diff_min =
        static_cast<int32_t>(-std::floor(31.0 * (1 << 26) / std::ldexp(1.0, rule.m.shift)));
    for (int32_t d = 0; d < 256 && -d >= rule.diff_min; ++d) {
      rule.exponentials[static_cast<size_t>(d)] =
          exp_on_negative<5>(multiply_by_quantized_multiplier<R>(-d, rule.m));
    }
    return rule;
  }

  // One over a sum of exponentials, and the right shift to the output's steps. Nothing for sums of
  // 512 and more, which leave the upstream kernel's range: the exact value rounds to 0.
  struct Part {
    int32_t factor = 0;
    int shift = 0;
  };
  static std::optional<Part> part_of(int64_t sum) {
    if (sum > INT32_MAX) return std::nullopt;
    const Reciprocal r = reciprocal(static_cast<int32_t>(sum), kAccumulationBits);
    const int shift = r.over + 31 - kOutBits;
    if (shift > 31) return std::nullopt;
    return Part{r.value, shift};
  }

  void row(const In* x, int64_t n, Out* y) const {
    const int32_t largest = *std::max_element(x, x + n);
    int64_t sum = 0;
    for (int64_t i = 0; i < n; ++i) {
      if (x[i] - largest >= diff_min) {
        sum += rounding_divide_by_pot(exponential(x[i] - largest), kAccumulationBits);
      }
    }
    constexpr Out kLowest = std::numeric_limits<Out>::min();
    const std::optional<Part> part = part_of(sum);
    for (int64_t i = 0; i < n; ++i) {
      const int32_t d = x[i] - largest;
      if (d < diff_min || !part) {
        y[i] = kLowest;
        continue;
      }
      const int32_t scaled =
          rounding_divide_by_pot(fixed_mul(part->factor, exponential(d)), part->shift);
      y[i] = clamp_to<Out>(int64_t{scaled} + kLowest, kFullRange<Out>);
    }
  }

 private:
  int32_t exponential(int32_t d) const { return exponentials[static_cast<size_t>(-d)]; }
  // A multiplier above one (section 1.2): up to 2^31, which the other operators refuse.
  static Result<QuantizedMultiplier> checked_softmax_multiplier(double real) {
    const QuantizedMultiplier q = quantize_multiplier(real, R);
    if (q.shift >= 0 && q.shift <= 31) return q;
    return Error(ErrorCode::op_quant, "beta * scale * 2^26 = " + number(real));
  }
};

}  // namespace edgetwin::numerics::tflite

// Functions of one element in TensorFlow Lite: RELU and its kin, LOGISTIC, TANH, HARD_SWISH; and
// L2_NORMALIZATION. Source: kernel specification 3.5, 3.12, 4.4 to 4.6.
#pragma once

#include "numerics/fixed_functions.h"
#include "numerics/sigmoid16.h"
#include "numerics/tflite/common.h"

namespace edgetwin::numerics::tflite {

inline RealRange relu_range(UnaryKind kind) {
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  switch (kind) {
    case UnaryKind::relu6:
      return {0.0F, 6.0F};
    case UnaryKind::relu_n1_to_1:
      return {-1.0F, 1.0F};
    default:
      return {0.0F, kInfinity};
  }
}

inline bool is_relu(UnaryKind kind) {
  return kind == UnaryKind::relu || kind == UnaryKind::relu6 || kind == UnaryKind::relu_n1_to_1;
}

// Some operators fix their output's quantization.
inline Status need_output(const Quant& out, float wanted_scale, int32_t wanted_zero) {
  if (scale(out) == wanted_scale && zero_point(out) == wanted_zero) return Ok{};
  return Error(ErrorCode::op_quant, "this operator's output must have scale " +
                                        number(static_cast<double>(wanted_scale)) +
                                        " and zero point " + std::to_string(wanted_zero))
      .detail("it has " + to_string(out));
}

// Section 3.5: rescale, then clamp to the activation's range.
template <Requantization R>
struct Relu {
  int32_t zero_in = 0, zero_out = 0;
  QuantizedMultiplier m;
  Range range{};

  template <class T>
  static Result<Relu> make(const UnarySpec& spec) {
    Relu rule{zero_point(spec.in), zero_point(spec.out), {}, {}};
    EDGETWIN_TRY_ASSIGN(rule.m,
                        checked_multiplier(static_cast<double>(scale(spec.in) / scale(spec.out)), R,
                                           "input scale / output scale"));
    rule.range = activation_range<T>(relu_range(spec.kind), spec.out);
    return rule;
  }
  int32_t operator()(int32_t x) const {
    const int64_t y = int64_t{zero_out} + multiply_by_quantized_multiplier<R>(x - zero_in, m);
    return static_cast<int32_t>(std::clamp<int64_t>(y, range.low, range.high));
  }
};

// Section 4.4, on signed 8-bit values; unsigned ones are shifted by 128 on both sides.
template <Requantization R>
struct Sigmoidal8 {
  bool tanh = false;
  int32_t zero_in = 0;  // of the signed form
  int32_t radius = 0;   // beyond it the function has reached its limit
  QuantizedMultiplier m;

  static Result<Sigmoidal8> make(UnaryKind kind, float s, int32_t signed_zero) {
    Sigmoidal8 rule;
    rule.tanh = kind == UnaryKind::tanh;
    rule.zero_in = signed_zero;
    const double real = static_cast<double>(s) * (1 << 27);  // to Q4
    EDGETWIN_TRY_ASSIGN(rule.m, checked_multiplier(real, R, "input scale * 2^27"));
    const double radius = std::floor(15.0 * (1 << 27) / std::ldexp(1.0, rule.m.shift));
    rule.radius = saturate_float(radius, 0, INT32_MAX);
    return rule;
  }
  int32_t operator()(int32_t x) const {
    const int32_t d = x - zero_in;
    if (d <= -radius) return -128;
    if (d >= radius) return 127;
    const int32_t v = multiply_by_quantized_multiplier<R>(d, m);
    const int32_t y = tanh ? rounding_divide_by_pot(fixed_tanh<4>(v), 24)
                           : rounding_divide_by_pot(fixed_logistic<4>(v), 23) - 128;
    return std::clamp(y, -128, 127);
  }
};

// Section 4.6. Everything in 16 bits with 7 bits of headroom below the input.
struct HardSwish8 {
  int32_t zero_in = 0, zero_out = 0;
  int16_t output_multiplier = 0, relu_multiplier = 0;
  int output_exponent = 0, relu_exponent = 0;
  Range range{};

  static int16_t reduce(int32_t m) {
    if (m >= std::numeric_limits<int32_t>::max() - (1 << 15)) return INT16_MAX;
    return static_cast<int16_t>((m + (1 << 15)) >> 16);
  }

  static Result<HardSwish8> make(const UnarySpec& spec, Range range) {
    HardSwish8 rule;
    rule.zero_in = zero_point(spec.in);
    rule.zero_out = zero_point(spec.out);
    rule.range = range;
    const float hires = scale(spec.in) / 128.0F;
    const float relu_scale = 3.0F / 32768.0F;
    constexpr auto kBuild = Requantization::double_rounding;
    EDGETWIN_TRY_ASSIGN(const auto om,
                        checked_multiplier(static_cast<double>(hires / scale(spec.out)), kBuild,
                                           "input scale / 128 / output scale"));
    EDGETWIN_TRY_ASSIGN(const auto rm,
                        checked_multiplier(static_cast<double>(hires / relu_scale), kBuild,
                                           "input scale / 128 / (3 / 32768)"));
    if (om.shift > 0) {
      return Error(ErrorCode::op_quant, "the output scale is too fine for HARD_SWISH")
          .detail("input scale / 128 / output scale = 2^" + std::to_string(om.shift) + " or more");
    }
    rule.output_multiplier = reduce(om.multiplier);
    rule.output_exponent = om.shift;
    rule.relu_multiplier = reduce(rm.multiplier);
    rule.relu_exponent = rm.shift;
    return rule;
  }

  static int16_t shift_left(int16_t x, int bits) {
    return saturate<int16_t>(int64_t{x} << std::min(bits, 32));
  }

  int32_t operator()(int32_t x) const {
    const auto a = static_cast<int16_t>((x - zero_in) * 128);
    const int16_t p = saturating_rounding_doubling_high_mul(a, output_multiplier);
    int16_t r = a;
    if (relu_exponent > 0) r = shift_left(r, relu_exponent - 1);
    r = saturating_rounding_doubling_high_mul(r, relu_multiplier);
    if (relu_exponent > 0) r = shift_left(r, 1);
    if (relu_exponent < 0) r = static_cast<int16_t>(rounding_divide_by_pot(r, -relu_exponent));
    // From [-1, 1] to [0, 1]: the clamped line of the hard sigmoid.
    r = static_cast<int16_t>((r + 32768) >> 1);
    const int32_t product = r * p / 32768;
    const int32_t o = std::min<int32_t>(product, INT16_MAX);
    const int32_t y = rounding_divide_by_pot(o, -output_exponent) + zero_out;
    return std::clamp(y, range.low, range.high);
  }
};

// All functions of an 8-bit tensor that keep its type.
template <class T, Requantization R>
struct Function8 {
  using In = T;
  using Out = T;
  static constexpr int32_t kToSigned = std::is_unsigned_v<T> ? 128 : 0;

  UnaryKind kind{};
  Relu<R> relu;
  Sigmoidal8<R> sigmoidal;
  HardSwish8 swish;

  static Result<Function8> make(const UnarySpec& spec) {
    EDGETWIN_TRY(need_affine(spec.in, "the input"));
    EDGETWIN_TRY(need_affine(spec.out, "the output"));
    Function8 rule;
    rule.kind = spec.kind;
    if (is_relu(spec.kind)) {
      EDGETWIN_TRY_ASSIGN(rule.relu, Relu<R>::template make<T>(spec));
    } else if (spec.kind == UnaryKind::hard_swish) {
      EDGETWIN_TRY_ASSIGN(rule.swish, HardSwish8::make(spec, kFullRange<T>));
    } else {
      const bool tanh = spec.kind == UnaryKind::tanh;
      EDGETWIN_TRY(
          need_output(spec.out, tanh ? 1.0F / 128 : 1.0F / 256, (tanh ? 0 : -128) + kToSigned));
      EDGETWIN_TRY_ASSIGN(rule.sigmoidal, Sigmoidal8<R>::make(spec.kind, scale(spec.in),
                                                              zero_point(spec.in) - kToSigned));
    }
    return rule;
  }

  T operator()(T x) const {
    if (is_relu(kind)) return static_cast<T>(relu(x));
    if (kind == UnaryKind::hard_swish) return static_cast<T>(swish(x));
    return static_cast<T>(sigmoidal(x - kToSigned) + kToSigned);
  }
};

// RELU and its kin, LOGISTIC and TANH (section 4.5) of 16 bits.
template <Requantization R>
struct Function16 {
  using In = int16_t;
  using Out = int16_t;

  UnaryKind kind{};
  Relu<R> relu;
  Input16 input;

  static Result<Function16> make(const UnarySpec& spec) {
    EDGETWIN_TRY(need_affine(spec.in, "the input"));
    EDGETWIN_TRY(need_affine(spec.out, "the output"));
    Function16 rule;
    rule.kind = spec.kind;
    if (is_relu(spec.kind)) {
      EDGETWIN_TRY_ASSIGN(rule.relu, Relu<R>::template make<int16_t>(spec));
      return rule;
    }
    if (spec.kind == UnaryKind::hard_swish) {
      return Error(ErrorCode::op_type, "HARD_SWISH is not defined for int16");
    }
    if (zero_point(spec.in) != 0 || zero_point(spec.out) != 0 || scale(spec.out) != 1.0F / 32768) {
      return Error(ErrorCode::op_quant,
                   "16-bit LOGISTIC and TANH need zero points 0 and an output scale of 1/32768")
          .detail("input " + to_string(spec.in) + ", output " + to_string(spec.out));
    }
    rule.input = input_form(spec);
    return rule;
  }

  int16_t operator()(int16_t x) const {
    if (is_relu(kind)) return static_cast<int16_t>(relu(x));
    const int32_t v = scale_input16(x, input);
    return kind == UnaryKind::tanh ? tanh16(v) : logistic16(v);
  }

 private:
  // Scales 2^-12, and for TANH 2^-11, are taken as powers of two.
  static Input16 input_form(const UnarySpec& spec) {
    int exponent = 0;
    const bool power = std::frexp(scale(spec.in), &exponent) == 0.5F;
    const int left = 12 + exponent - 1;
    const int most = spec.kind == UnaryKind::tanh ? 1 : 0;
    if (power && left >= 0 && left <= most) return power_of_two_input16(left);
    return general_input16(scale(spec.in));
  }
};

// Section 3.12, one row along the last axis.
template <class T, Requantization R>
struct L2Normalization {
  using Element = T;
  int32_t zero_in = 0;

  static Result<L2Normalization> make(const UnarySpec& spec) {
    EDGETWIN_TRY(need_affine(spec.in, "the input"));
    EDGETWIN_TRY(need_affine(spec.out, "the output"));
    EDGETWIN_TRY(need_output(spec.out, 1.0F / 128, std::is_unsigned_v<T> ? 128 : 0));
    return L2Normalization{zero_point(spec.in)};
  }
  void row(const T* x, int64_t n, T* y) const {
    int32_t sum = 0;
    for (int64_t i = 0; i < n; ++i) {
      const int32_t d = x[i] - zero_in;
      sum = wrapping_add(sum, d * d);
    }
    // A sum that wrapped is negative; the reference's behaviour ends there, ours is defined.
    const QuantizedMultiplier m = inverse_sqrt(sum);
    for (int64_t i = 0; i < n; ++i) {
      const int32_t d = x[i] - zero_in;
      if constexpr (std::is_unsigned_v<T>) {
        y[i] = clamp_to<T>(int64_t{128} + multiply_by_quantized_multiplier<R>(d * 128, m),
                           kFullRange<T>);
      } else {
        y[i] = clamp_to<T>(multiply_by_quantized_multiplier<R>(d, {m.multiplier, m.shift + 7}),
                           kFullRange<T>);
      }
    }
  }
};

}  // namespace edgetwin::numerics::tflite

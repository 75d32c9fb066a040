// Functions of one element. Source: specification of the runtime 4.5 (assignment), operators 4.
#pragma once

#include "numerics/espdl/common.h"

namespace edgetwin::numerics::espdl {

// The runtime's constants are double, so that the quotient is computed in double and then rounded:
// recorded results show it.
inline float sigmoid(float x) {
  return static_cast<float>(1.0 / (1.0 + static_cast<double>(std::exp(-x))));
}

// The function on real numbers, in float32, as the runtime writes it.
struct RealFunction {
  UnaryKind kind = UnaryKind::relu;
  float alpha = 0.0F, beta = 0.0F;

  float operator()(float x) const {
    switch (kind) {
      case UnaryKind::relu:
        return x > 0.0F ? x : 0.0F;
      case UnaryKind::leaky_relu:
        return x >= 0.0F ? x : x * alpha;
      case UnaryKind::elu:
        return x >= 0.0F ? x : alpha * (std::exp(x) - 1.0F);
      case UnaryKind::logistic:
        return sigmoid(x);
      case UnaryKind::tanh:  // not tanhf: its last bits differ
        return 2.0F * sigmoid(2.0F * x) - 1.0F;
      case UnaryKind::swish:
        return sigmoid(x) * x;
      case UnaryKind::hard_sigmoid:
        return std::fmax(0.0F, std::fmin(1.0F, alpha * x + beta));
      case UnaryKind::hard_swish:  // the constant of the runtime, not 1/6
        return x * std::fmax(0.0F, std::fmin(1.0F, x * 0.166667F + 0.5F));
      case UnaryKind::exp:
        return std::exp(x);
      case UnaryKind::log:
        return std::log(x);
      case UnaryKind::sqrt:
        return std::sqrt(x);
      case UnaryKind::neg:
        return -x;
      default:
        return x;
    }
  }
};

template <class T, class Unit>
struct Unary {
  using In = T;
  using Out = T;
  RealFunction function;
  bool raw_relu = false;
  float scale_in = 1.0F, rescale_out = 1.0F;

  static Result<Unary> make(const UnarySpec& spec) {
    Unary rule;
    rule.function = {spec.kind, spec.alpha, spec.beta};
    if (spec.kind == UnaryKind::relu6 || spec.kind == UnaryKind::relu_n1_to_1) {
      return Error(ErrorCode::op_unsupported, "ESP-DL has no such activation");
    }
    if (spec.kind != UnaryKind::neg) {
      EDGETWIN_TRY(check_exponent(spec.in, "the input"));
      EDGETWIN_TRY(check_exponent(spec.out, "the output"));
    }
    rule.raw_relu = spec.kind == UnaryKind::relu && exponent(spec.in) == exponent(spec.out);
    rule.scale_in = scale(exponent(spec.in));
    rule.rescale_out = scale(-exponent(spec.out));
    return rule;
  }

  Out operator()(In q) const {
    if (raw_relu) return q > 0 ? q : Out{0};
    if (function.kind == UnaryKind::neg) return saturate<Out>(-int32_t{q});
    if (function.kind == UnaryKind::leaky_relu) return leaky(q);
    return round_to<Out, Unit>(function(static_cast<float>(q) * scale_in) * rescale_out);
  }

 private:
  // Rescaled first, then multiplied by alpha.
  Out leaky(In q) const {
    const float x = static_cast<float>(q) * scale_in * rescale_out;
    return round_to<Out, Unit>(q >= 0 ? x : x * function.alpha);
  }
};

struct UnaryF32 {
  using In = float;
  using Out = float;
  RealFunction function;
  static Result<UnaryF32> make(const UnarySpec& spec) {
    return UnaryF32{{spec.kind, spec.alpha, spec.beta}};
  }
  float operator()(float x) const { return function(x); }
};

// Tensor assignment between integers (section 4.5): RequantizeLinear, Identity.
template <class From, class To, class Unit>
struct Requantize {
  using In = From;
  using Out = To;
  int shift = 0;  // e(out) - e(in)
  // The ESP32-S3 multiplies int8 by a factor of 8 bits, which 2^7 and more do not fit.
  bool broken = false;
  int32_t factor = 0;

  static Result<Requantize> make(const UnarySpec& spec) {
    EDGETWIN_TRY(check_exponent(spec.in, "the input"));
    EDGETWIN_TRY(check_exponent(spec.out, "the output"));
    Requantize rule;
    rule.shift = exponent(spec.out) - exponent(spec.in);
    constexpr bool eight = sizeof(From) == 1 && sizeof(To) == 1;
    if (eight && Unit::kVector == VectorUnit::s3 && rule.shift <= -7 && spec.elements > 50) {
      rule.broken = true;
      rule.factor = rule.shift == -7 ? -128 : 0;
    }
    return rule;
  }
  Out operator()(In q) const {
    if (broken) return saturate<Out>(int32_t{q} * factor);
    if (shift > 0 && shift <= 15) return narrow(q);
    return saturate<Out>(shift_round<Unit>(q, shift));
  }

 private:
  // The same in 32 bits and without branches, for compilers that vectorise.
  Out narrow(int32_t q) const {
    const int32_t half = int32_t{1} << (shift - 1);
    if constexpr (Unit::kRounding == Rounding::half_up) {
      return saturate<Out>((q + half) >> shift);
    } else {
      // half - 1, and one more where the quotient is odd: ties go to the even one.
      return saturate<Out>((q + half - 1 + ((q >> shift) & 1)) >> shift);
    }
  }
};

template <class T, class Unit>
struct QuantizeFloat {
  using In = float;
  using Out = T;
  float rescale = 1.0F;
  static Result<QuantizeFloat> make(const UnarySpec& spec) {
    EDGETWIN_TRY(check_exponent(spec.out, "the output"));
    return QuantizeFloat{scale(-exponent(spec.out))};
  }
  Out operator()(float x) const { return round_to<Out, Unit>(x * rescale); }
};

template <class T>
struct DequantizeFloat {
  using In = T;
  using Out = float;
  float factor = 1.0F;
  static Result<DequantizeFloat> make(const UnarySpec& spec) {
    EDGETWIN_TRY(check_exponent(spec.in, "the input"));
    return DequantizeFloat{scale(exponent(spec.in))};
  }
  Out operator()(In q) const { return static_cast<float>(q) * factor; }
};

// Clip: bounds are raw integers of the input's exponent.
template <class T, class Unit>
struct Clip {
  T low = std::numeric_limits<T>::min();
  T high = std::numeric_limits<T>::max();
  float factor = 1.0F;
  T operator()(T x) const {
    // std::fmin's order of the runtime: the upper bound wins where they cross.
    const T t = std::min(std::max(x, low), high);
    return round_to<T, Unit>(static_cast<float>(t) * factor);
  }
};

// PRelu (operators 4.1). The portable code copies positive values and shifts negative ones without
// rounding; the vector units rescale both.
template <class T, class Unit>
struct PRelu {
  static constexpr bool kRescales =
      Unit::kVector == VectorUnit::s3 || (Unit::kVector == VectorUnit::p4 && sizeof(T) == 1);
  int shift = 0;        // e(out) - e(in)
  int alpha_shift = 0;  // e(out) - e(in) - e(alpha)

  T operator()(T x, T alpha) const {
    if constexpr (kRescales) {
      if (x > 0) return saturate<T>(shift_round<Unit>(positive(x), std::max(shift, 0)));
      return saturate<T>(shift_round<Unit>(int64_t{x} * alpha, alpha_shift));
    } else {
      if (x > 0) return x;
      const int64_t product = int64_t{x} * alpha;
      if (alpha_shift < 0) return saturate<T>(shift_round<Unit>(product, alpha_shift));
      return saturate<T>(floor_shift(product, std::min(alpha_shift, 62)));
    }
  }

 private:
  // 2^-shift is a factor of the element's width on the ESP32-S3.
  int64_t positive(T x) const {
    if (shift >= 0) return x;
    constexpr bool narrow = Unit::kVector == VectorUnit::s3 && sizeof(T) == 1;
    if (narrow && shift <= -7) return shift == -7 ? int64_t{x} * -128 : 0;
    return int64_t{x} * (int64_t{1} << std::min(-shift, 30));
  }
};

}  // namespace edgetwin::numerics::espdl

// Element-wise operators with two operands. Source: specification of the runtime, operators, 3.
#pragma once

#include "numerics/espdl/common.h"

namespace edgetwin::numerics::espdl {

// Add and Sub work on raw integers; on request, as quantizers simulate them, on real numbers where
// exponents differ (ESP-DL's simulator rounds and saturates the sum; specification of Add, 5). Mul
// is an integer product on the vector units where the innermost run fills a vector, and a float one
// everywhere else, which for int16 can differ by one. Div, Pow and Mod are float.
template <class T, class Unit>
struct Binary {
  using Element = T;
  enum class Form : uint8_t { add, sub, add_real, sub_real, mul_shift, mul_float, div, pow, mod };

  Form form = Form::add;
  int shift = 0;
  float factor = 1.0F;  // of mul_float and div
  float scale_a = 1.0F, scale_b = 1.0F, rescale_out = 1.0F;
  bool a_stays = false, b_stays = false;
  bool table_of_a = false;  // Div of int8: the numerator is a single value, and a table is used

  static Result<Binary> make(const BinarySpec& spec) {
    Binary rule;
    const bool raw = spec.kind == BinaryKind::add || spec.kind == BinaryKind::sub;
    if (raw) {
      rule.form = spec.kind == BinaryKind::add ? Form::add : Form::sub;
      if (!spec.real_additions) return rule;
      EDGETWIN_TRY(check_exponent(spec.a, "operand 0"));
      EDGETWIN_TRY(check_exponent(spec.b, "operand 1"));
      EDGETWIN_TRY(check_exponent(spec.out, "the output"));
      const int out = exponent(spec.out);
      if (exponent(spec.a) == out && exponent(spec.b) == out) return rule;
      rule.form = spec.kind == BinaryKind::add ? Form::add_real : Form::sub_real;
      rule.scale_a = scale(exponent(spec.a) - out);
      rule.scale_b = scale(exponent(spec.b) - out);
      return rule;
    }
    EDGETWIN_TRY(check_exponent(spec.a, "operand 0"));
    EDGETWIN_TRY(check_exponent(spec.b, "operand 1"));
    EDGETWIN_TRY(check_exponent(spec.out, "the output"));
    rule.a_stays = spec.a_stays;
    rule.b_stays = spec.b_stays;
    rule.scale_a = scale(exponent(spec.a));
    rule.scale_b = scale(exponent(spec.b));
    rule.rescale_out = scale(-exponent(spec.out));
    rule.table_of_a = sizeof(T) == 1 && spec.a_elements == 1;
    if (spec.kind == BinaryKind::mul) return make_mul(spec, rule);
    rule.form = spec.kind == BinaryKind::div   ? Form::div
                : spec.kind == BinaryKind::pow ? Form::pow
                                               : Form::mod;
    rule.factor = rule.rescale_out * rule.scale_a / rule.scale_b;
    return rule;
  }

  T operator()(T a, T b) const {
    switch (form) {
      case Form::add:
        return saturate<T>(int32_t{a} + b);
      case Form::sub:
        return saturate<T>(int32_t{a} - b);
      case Form::add_real:
        return round_to<T, Unit>(static_cast<float>(a) * scale_a + static_cast<float>(b) * scale_b);
      case Form::sub_real:
        return round_to<T, Unit>(static_cast<float>(a) * scale_a - static_cast<float>(b) * scale_b);
      case Form::mul_shift:
        return saturate<T>(shift_round<Unit>(int64_t{a} * b, shift));
      case Form::mul_float:
        return mul_float(a, b);
      case Form::div:
        return div(a, b);
      case Form::pow:
        return round_to<T, Unit>(
            std::pow(static_cast<float>(a) * scale_a, static_cast<float>(b) * scale_b) *
            rescale_out);
      case Form::mod:
        return b == 0 ? T{0}
                      : round_to<T, Unit>(std::fmod(static_cast<float>(a) * scale_a,
                                                    static_cast<float>(b) * scale_b) *
                                          rescale_out);
    }
    return 0;
  }

 private:
  static Result<Binary> make_mul(const BinarySpec& spec, Binary rule) {
    rule.shift = exponent(spec.out) - exponent(spec.a) - exponent(spec.b);
    const bool vector = Unit::kVector != VectorUnit::none && spec.inner >= kLanes<T>;
    rule.form = vector ? Form::mul_shift : Form::mul_float;
    rule.factor = rule.scale_a * rule.scale_b * rule.rescale_out;
    if (!vector || rule.shift >= 0 || spec.allow_undefined) return rule;
    return Error(ErrorCode::op_shift, "the product would be shifted right by " +
                                          std::to_string(rule.shift) +
                                          " bits, which the vector unit cannot")
        .detail("e(out) - e(a) - e(b) = " + std::to_string(exponent(spec.out)) + " - (" +
                std::to_string(exponent(spec.a)) + ") - (" + std::to_string(exponent(spec.b)) +
                ")");
  }

  T mul_float(T a, T b) const {
    if (b_stays && !a_stays) {
      return round_to<T, Unit>(static_cast<float>(a) * (static_cast<float>(b) * factor));
    }
    if (a_stays && !b_stays) {
      return round_to<T, Unit>(static_cast<float>(b) * (static_cast<float>(a) * factor));
    }
    return round_to<T, Unit>(static_cast<float>(int32_t{a} * b) * factor);
  }

  T div(T a, T b) const {
    constexpr T low = std::numeric_limits<T>::min();
    constexpr T high = std::numeric_limits<T>::max();
    // The table of a single numerator has the lowest value for 0 / 0 as well.
    if (b == 0 && table_of_a) return a > 0 ? high : low;
    if (a == 0) return 0;
    if (b == 0) return a > 0 ? high : low;
    const auto x = static_cast<float>(a);
    const auto y = static_cast<float>(b);
    return round_to<T, Unit>(b_stays && !a_stays ? x * (factor / y) : x * factor / y);
  }
};

}  // namespace edgetwin::numerics::espdl

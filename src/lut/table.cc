#include "lut/table.h"

#include <bit>
#include <charconv>
#include <cmath>

#include "numerics/saturate.h"

namespace edgetwin::lut {
namespace {

using numerics::Rounding;

float parameter(const std::optional<float>& given, const std::optional<float>& standard) {
  return given.value_or(standard.value_or(0.0F));
}

Error step_error(int step, const std::string& why) {
  const std::string s = std::to_string(step);
  Error error(ErrorCode::lut_step, "a step of " + s + " " + why);
  if (step >= 1 && step < 65536) {
    const int64_t count = exporter_entries(step);
    const int derived = numerics::lut_step(count);
    error.details = {
        "entries: one per " + s + " of 65536 inputs and one at the end = " + std::to_string(count),
        "the runtime divides 65536 by " + std::to_string(count - 1) + " and takes " +
            std::to_string(derived) + " for the step"};
  }
  error.hint = "Steps: 1, 2, 4, ... 32768. The exporter's default is 256.";
  return error;
}

Status check_parameter(std::string_view name, const std::optional<float>& given, bool exists,
                       std::string_view function) {
  if (!given) return Ok{};
  if (!exists) {
    return Error(ErrorCode::lut_spec,
                 std::string(function) + " has no parameter " + std::string(name));
  }
  if (!std::isfinite(*given)) {
    return Error(ErrorCode::lut_spec, std::string(name) + " is not a finite number");
  }
  return Ok{};
}

std::string real_input_text(const TableSpec& spec, int q) {
  char text[32];
  const double x = std::ldexp(static_cast<double>(q), spec.in_exponent);
  const auto end = std::to_chars(text, text + sizeof text, x, std::chars_format::general, 9).ptr;
  return std::string(text, end);
}

Status check_exponent(std::string_view name, int exponent) {
  if (std::abs(exponent) <= kMaxExponent) return Ok{};
  return Error(ErrorCode::lut_spec, "the " + std::string(name) + " exponent " +
                                        std::to_string(exponent) + " is outside -30 to 30")
      .detail("the runtime makes 2^e by shifting a 32-bit 1");
}

}  // namespace

std::string function_name(const TableSpec& spec) {
  return spec.formula ? spec.formula->text() : std::string(info(spec.function).name);
}

std::string function_text(const TableSpec& spec) {
  return spec.formula ? spec.formula->text() : std::string(info(spec.function).what);
}

std::string function_type(const TableSpec& spec) {
  return spec.formula ? spec.formula->text() : std::string(info(spec.function).op_type);
}

Status set_formula(TableSpec& spec, std::string_view text) {
  EDGETWIN_TRY_ASSIGN(Formula formula, Formula::parse(text));
  if (!formula.uses_x()) {
    return Error(ErrorCode::lut_spec, "'" + formula.text() + "' does not contain x");
  }
  spec.formula = std::make_shared<const Formula>(std::move(formula));
  return Ok{};
}

int lowest_input(int bits) { return bits == 8 ? -128 : -32768; }
int inputs(int bits) { return bits == 8 ? 256 : 65536; }

int64_t entries(const TableSpec& spec) {
  return spec.bits == 8 ? 256 : numerics::lut_entries(spec.step);
}

int64_t exporter_entries(int step) { return (65535 + step + step - 1) / step; }

std::string to_string(const TableSpec& spec) {
  std::string text = function_name(spec) + " s" + std::to_string(spec.bits) + " in 2^" +
                     std::to_string(spec.in_exponent) + " out 2^" +
                     std::to_string(spec.out_exponent);
  return spec.bits == 8 ? text : text + " step " + std::to_string(spec.step);
}

Status check_step(int step) {
  if (step < 1 || step > kMaxStep) return step_error(step, "is outside 1 to 32768");
  if (65536 % step != 0) {
    return step_error(step, "does not divide 65536: 65536 = " + std::to_string(65536 / step) +
                                " * " + std::to_string(step) + " + " +
                                std::to_string(65536 % step));
  }
  // All divisors of 65536 are powers of two, so that nothing is left to refuse.
  return Ok{};
}

namespace {

// Infinity saturates; what is not a number has no entry.
Status check_formula(const TableSpec& spec) {
  if (spec.alpha || spec.beta) {
    return Error(ErrorCode::lut_spec, "a formula has no parameters alpha and beta")
        .with_hint("Write the numbers into the formula.");
  }
  const int low = lowest_input(spec.bits);
  for (int q = low; q <= -low; ++q) {
    if (!std::isnan(real_value(spec, q))) continue;
    return Error(ErrorCode::lut_spec, "'" + spec.formula->text() + "' is not a number at x = " +
                                          real_input_text(spec, q) + ", input " + std::to_string(q))
        .with_hint("Keep x away from there: log(max(x, 0.001)), sqrt(max(x, 0)).");
  }
  return Ok{};
}

}  // namespace

Status check(const TableSpec& spec) {
  if (spec.bits != 8 && spec.bits != 16) {
    return Error(ErrorCode::lut_spec, "a table has 8 or 16 bits, not " + std::to_string(spec.bits));
  }
  EDGETWIN_TRY(check_exponent("input", spec.in_exponent));
  EDGETWIN_TRY(check_exponent("output", spec.out_exponent));
  if (spec.rounding != Rounding::half_even && spec.rounding != Rounding::half_up) {
    return Error(ErrorCode::lut_spec, "no target rounds tables in this way")
        .with_hint("half even is the ESP32-P4, half up the ESP32-S3 and plain C.");
  }
  if (spec.formula) EDGETWIN_TRY(check_formula(spec));
  const FunctionInfo& f = info(spec.function);
  EDGETWIN_TRY(check_parameter("alpha", spec.alpha, f.alpha.has_value(), f.name));
  EDGETWIN_TRY(check_parameter("beta", spec.beta, f.beta.has_value(), f.name));
  if (spec.bits == 16) return check_step(spec.step);
  if (spec.step == 1) return Ok{};
  return Error(ErrorCode::lut_step,
               "a table of 8 bits has an entry for every input: its step is 1, not " +
                   std::to_string(spec.step));
}

float real_value(const TableSpec& spec, int q) {
  const float x = std::ldexp(static_cast<float>(q), spec.in_exponent);
  if (spec.formula) return static_cast<float>(spec.formula->value(static_cast<double>(x)));
  const FunctionInfo& f = info(spec.function);
  return evaluate(spec.function, x, parameter(spec.alpha, f.alpha), parameter(spec.beta, f.beta));
}

int rounded_value(const TableSpec& spec, int q) {
  const float scaled = std::ldexp(real_value(spec, q), -spec.out_exponent);
  const int low = lowest_input(spec.bits);
  return numerics::saturate_float(numerics::round_float(scaled, spec.rounding), low, -low - 1);
}

Result<Tensor> build(const TableSpec& spec) {
  EDGETWIN_TRY(check(spec));
  const bool narrow = spec.bits == 8;
  EDGETWIN_TRY_ASSIGN(Tensor table,
                      Tensor::zeros(narrow ? DType::int8 : DType::int16, Shape{entries(spec)}));
  table.name = spec.formula ? "Formula_lut" : std::string(info(spec.function).op_type) + "_lut";
  table.quant = Quant::power_of_two(spec.out_exponent);
  int q = lowest_input(spec.bits);
  if (narrow) {
    for (int8_t& entry : table.as<int8_t>()) entry = static_cast<int8_t>(rounded_value(spec, q++));
    return table;
  }
  for (int16_t& entry : table.as<int16_t>()) {
    entry = static_cast<int16_t>(rounded_value(spec, q));
    q += spec.step;
  }
  return table;
}

Result<std::vector<int16_t>> ideal(const TableSpec& spec) {
  EDGETWIN_TRY(check(spec));
  std::vector<int16_t> values(static_cast<size_t>(inputs(spec.bits)));
  int q = lowest_input(spec.bits);
  for (int16_t& value : values) value = static_cast<int16_t>(rounded_value(spec, q++));
  return values;
}

}  // namespace edgetwin::lut

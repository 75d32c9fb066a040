// A function of x as a user writes it, "x*sigmoid(1.7*x)", with its derivative.
//
// Numbers, x, pi and e, + - * / ^ (to the right, before the sign: -x^2 is -(x^2)), brackets, and
// the functions of functions.def; clip(a, low, high) is min(max(a, low), high). Everything is
// computed in double, so that a table does not depend on an order of float32 operations.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace edgetwin::lut {

class Formula {
 public:
  static constexpr size_t kMaxLength = 1000;  // characters
  static constexpr size_t kMaxDepth = 64;     // of brackets and signs

  // Error: lut_spec, with the place.
  static Result<Formula> parse(std::string_view text);

  // As it was given, without spaces.
  const std::string& text() const { return text_; }
  bool uses_x() const;

  double value(double x) const;
  struct Slope {
    double value = 0.0;
    double derivative = 0.0;
  };
  Slope slope(double x) const;

  bool operator==(const Formula& other) const { return text_ == other.text_; }

  // Of the stack machine that computes it: each takes its operands from the stack.
  enum class Code : uint8_t {
    number,
    x,
    negate,
    add,
    subtract,
    multiply,
    divide,
#define FORMULA_UNARY(name, value, slope, what) f_##name,
#define FORMULA_BINARY(name, value, slope, what) f_##name,
#include "lut/formula/functions.def"
#undef FORMULA_UNARY
#undef FORMULA_BINARY
  };
  struct Step {
    Code code = Code::number;
    double number = 0.0;
  };

 private:
  std::string text_;
  std::vector<Step> steps_;
  size_t deepest_ = 0;  // of the stack
};

struct FormulaFunction {
  std::string_view name;
  size_t operands;
  std::string_view what;
};
// All that a formula can name, clip too.
const std::vector<FormulaFunction>& formula_functions();

}  // namespace edgetwin::lut

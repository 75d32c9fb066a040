#include "lut/formula/formula.h"

#include <algorithm>
#include <cmath>

#include "lut/formula/parse.h"

namespace edgetwin::lut {
namespace {

using Code = Formula::Code;

constexpr double kTwoOverRootPi = 1.12837916709551257390;
constexpr double kRootHalf = 0.70710678118654752440;

double logistic(double a) {
  if (a >= 0.0) return 1.0 / (1.0 + std::exp(-a));
  const double e = std::exp(a);
  return e / (1.0 + e);
}

// Of a^b. A constant power needs no logarithm, which negative bases have not.
double power_slope(double a, double b, double da, double db) {
  const double of_base = da == 0.0 || b == 0.0 ? 0.0 : b * std::pow(a, b - 1.0) * da;
  const double of_power = db == 0.0 ? 0.0 : std::pow(a, b) * std::log(a) * db;
  return of_base + of_power;
}

// Where a slope is 0 an infinite factor says nothing.
double chained(double outer, double inner) { return inner == 0.0 ? 0.0 : outer * inner; }

Formula::Slope unary(Code code, const Formula::Slope& in) {
  const double a = in.value;
  switch (code) {
    case Code::negate:
      return {-a, -in.derivative};
#define FORMULA_UNARY(name, value_of, slope_of, what) \
  case Code::f_##name: {                              \
    [[maybe_unused]] const double v = value_of;       \
    return {v, chained(slope_of, in.derivative)};     \
  }
#define FORMULA_BINARY(name, value_of, slope_of, what)
#include "lut/formula/functions.def"
#undef FORMULA_UNARY
#undef FORMULA_BINARY
    default:
      return in;
  }
}

Formula::Slope binary(Code code, const Formula::Slope& x, const Formula::Slope& y) {
  const double a = x.value;
  const double b = y.value;
  const double da = x.derivative;
  const double db = y.derivative;
  switch (code) {
    case Code::add:
      return {a + b, da + db};
    case Code::subtract:
      return {a - b, da - db};
    case Code::multiply:
      return {a * b, chained(b, da) + chained(a, db)};
    case Code::divide:
      return {a / b, chained(1.0 / b, da) - chained(a / (b * b), db)};
#define FORMULA_UNARY(name, value_of, slope_of, what)
#define FORMULA_BINARY(name, value_of, slope_of, what) \
  case Code::f_##name:                                 \
    return {value_of, slope_of};
#include "lut/formula/functions.def"
#undef FORMULA_UNARY
#undef FORMULA_BINARY
    default:
      return x;
  }
}

bool is_binary(Code code) {
  switch (code) {
    case Code::add:
    case Code::subtract:
    case Code::multiply:
    case Code::divide:
#define FORMULA_UNARY(name, value_of, slope_of, what)
#define FORMULA_BINARY(name, value_of, slope_of, what) case Code::f_##name:
#include "lut/formula/functions.def"
#undef FORMULA_UNARY
#undef FORMULA_BINARY
      return true;
    default:
      return false;
  }
}

std::string without_spaces(std::string_view text) {
  std::string result;
  for (const char c : text) {
    if (c != ' ' && c != '\t') result += c;
  }
  return result;
}

}  // namespace

Result<Formula> Formula::parse(std::string_view text) {
  if (text.size() > kMaxLength) {
    return Error(ErrorCode::lut_spec, "a formula of " + std::to_string(text.size()) +
                                          " characters; at most " + std::to_string(kMaxLength) +
                                          " are taken");
  }
  Formula f;
  f.text_ = without_spaces(text);
  EDGETWIN_TRY_ASSIGN(f.steps_, parse_steps(f.text_));
  size_t now = 0;
  for (const Step& s : f.steps_) {
    if (s.code == Code::number || s.code == Code::x) ++now;
    if (is_binary(s.code)) --now;
    f.deepest_ = std::max(f.deepest_, now);
  }
  return f;
}

bool Formula::uses_x() const {
  return std::any_of(steps_.begin(), steps_.end(), [](const Step& s) { return s.code == Code::x; });
}

double Formula::value(double x) const { return slope(x).value; }

Formula::Slope Formula::slope(double x) const {
  std::vector<Slope> stack;
  stack.reserve(deepest_);
  for (const Step& s : steps_) {
    if (s.code == Code::number) {
      stack.push_back({s.number, 0.0});
    } else if (s.code == Code::x) {
      stack.push_back({x, 1.0});
    } else if (is_binary(s.code)) {
      const Slope right = stack.back();
      stack.pop_back();
      stack.back() = binary(s.code, stack.back(), right);
    } else {
      stack.back() = unary(s.code, stack.back());
    }
  }
  return stack.back();
}

const std::vector<FormulaFunction>& formula_functions() {
  static const std::vector<FormulaFunction> kAll = {
#define FORMULA_UNARY(name, value_of, slope_of, what) {#name, 1, what},
#define FORMULA_BINARY(name, value_of, slope_of, what) {#name, 2, what},
#include "lut/formula/functions.def"
#undef FORMULA_UNARY
#undef FORMULA_BINARY
      {"clip", 3, "min(max(a, low), high)"}};
  return kAll;
}

}  // namespace edgetwin::lut

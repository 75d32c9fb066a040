#include "lut/formula/formula.h"

#include <gtest/gtest.h>

#include <cmath>

namespace edgetwin::lut {
namespace {

double value(const char* text, double x) {
  const auto f = Formula::parse(text);
  EXPECT_TRUE(f.ok()) << text;
  return f.ok() ? f->value(x) : NAN;
}

std::string message(std::string_view text) {
  const auto f = Formula::parse(text);
  EXPECT_FALSE(f.ok()) << text;
  if (!f.ok()) {
    EXPECT_EQ(f.error().code, ErrorCode::lut_spec);
  }
  return f.ok() ? "" : f.error().message;
}

TEST(Formula, BindsAsInWriting) {
  EXPECT_EQ(value("1 + 2 * 3", 0), 7.0);
  EXPECT_EQ(value("8 / 4 / 2", 0), 1.0);
  EXPECT_EQ(value("10 - 3 - 2", 0), 5.0);
  EXPECT_EQ(value("2 ^ 3 ^ 2", 0), 512.0);
  EXPECT_EQ(value("-x ^ 2", 3), -9.0);
  EXPECT_EQ(value("2 * -x", 3), -6.0);
  EXPECT_EQ(value("2 ^ -1", 0), 0.5);
  EXPECT_EQ(value("1.5e1 + .5", 0), 15.5);
  EXPECT_EQ(value("(1 + x) * (1 - x)", 3), -8.0);
}

TEST(Formula, NamesConstantsAndFunctions) {
  EXPECT_DOUBLE_EQ(value("sin(pi / 2) + log(e)", 0), 2.0);
  EXPECT_DOUBLE_EQ(value("x*sigmoid(1.7*x)", 2), 2.0 / (1.0 + std::exp(-3.4)));
  EXPECT_EQ(value("clip(x, -1, 1)", 3), 1.0);
  EXPECT_EQ(value("clip(x, -1, 1)", -3), -1.0);
  EXPECT_EQ(value("max(min(x, 2), -2)", 5), 2.0);
  EXPECT_DOUBLE_EQ(value("swish(x) - x*sigmoid(x)", 1.25), 0.0);
}

TEST(Formula, EveryFunctionHasTheSlopeOfItsDifferences) {
  for (const FormulaFunction& f : formula_functions()) {
    std::string text = std::string(f.name) + "(0.3 + x";
    if (f.operands > 1) text += ", 1.2";
    if (f.operands > 2) text += ", 1.9";
    const auto parsed = Formula::parse(text + ")");
    ASSERT_TRUE(parsed.ok()) << text;
    for (const double x : {0.2, 1.1, 1.45}) {
      constexpr double kStep = 1e-6;
      const double wanted = (parsed->value(x + kStep) - parsed->value(x - kStep)) / (2 * kStep);
      // Central differences are right to some kStep^2 and 1e-16 / kStep.
      EXPECT_NEAR(parsed->slope(x).derivative, wanted, 1e-6) << f.name << " at " << x;
    }
  }
}

TEST(Formula, SlopesOfOperators) {
  const auto f = Formula::parse("x^3 - 2*x/(1+x) + 2^x");
  ASSERT_TRUE(f.ok());
  const double x = 1.5;
  EXPECT_NEAR(f->slope(x).derivative,
              3 * x * x - 2 / ((1 + x) * (1 + x)) + std::pow(2, x) * std::log(2.0), 1e-12);
  EXPECT_EQ(Formula::parse("x^2")->slope(-3).derivative, -6.0);
  EXPECT_EQ(Formula::parse("4 + pi")->slope(1).derivative, 0.0);
}

TEST(Formula, ErrorsNameThePlace) {
  EXPECT_EQ(message("x*sigmod(x)"),
            "'x*sigmod(x)', character 3: the name of a function is expected, not 'sigmod(x)'");
  EXPECT_EQ(message("2x"), "'2x', character 2: an operator is expected, not 'x'");
  EXPECT_EQ(message("(x"), "'(x', character 3: ')' is expected, not the end");
  EXPECT_EQ(message("max(x)"),
            "'max(x)', character 6: max takes 2 operands; ',' is expected, not ')'");
  EXPECT_EQ(message("y+1"), "'y+1', character 1: x, pi or e is expected, not 'y+1'");
  EXPECT_EQ(message(""), "the formula is empty");
  EXPECT_EQ(message("1e999"), "'1e999', character 1: a number is expected, not '1e999'");
}

TEST(Formula, RefusesWhatIsTooDeepOrTooLong) {
  EXPECT_TRUE(Formula::parse(std::string(60, '(') + "x" + std::string(60, ')')).ok());
  EXPECT_FALSE(Formula::parse(std::string(70, '(') + "x" + std::string(70, ')')).ok());
  EXPECT_FALSE(Formula::parse(std::string(70, '-') + "x").ok());
  EXPECT_FALSE(Formula::parse(std::string(1001, '1')).ok());
}

}  // namespace
}  // namespace edgetwin::lut

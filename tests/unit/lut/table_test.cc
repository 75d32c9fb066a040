#include "lut/table.h"

#include <cmath>
#include <limits>

#include "gtest/gtest.h"
#include "lut/function.h"

namespace edgetwin::lut {
namespace {

using numerics::Rounding;

TableSpec spec16(Function f, int in, int out, int step) {
  TableSpec spec;
  spec.function = f;
  spec.in_exponent = in;
  spec.out_exponent = out;
  spec.step = step;
  return spec;
}

TEST(Functions, RowsAreCompleteAndFoundByBothNames) {
  for (const FunctionInfo& f : all_functions()) {
    EXPECT_EQ(function_from_name(f.name), f.function);
    EXPECT_EQ(function_from_name(f.op_type), f.function);
    EXPECT_EQ(&info(f.function), &f);
    EXPECT_FALSE(f.what.empty()) << f.name;
  }
  EXPECT_EQ(function_from_name("HARDSWISH"), Function::hardswish);
  EXPECT_EQ(function_from_name("softmax"), std::nullopt);
}

TEST(Functions, ValuesAtPlainPoints) {
  const auto f = [](Function function, float x, float a = 0, float b = 0) {
    return evaluate(function, x, a, b);
  };
  EXPECT_EQ(f(Function::sigmoid, 0), 0.5F);
  EXPECT_EQ(f(Function::swish, 0), 0.0F);
  EXPECT_EQ(f(Function::hardswish, 3), 3.0F);
  EXPECT_EQ(f(Function::hardswish, -3), 0.0F);
  EXPECT_EQ(f(Function::hardsigmoid, 1, 0.25F, 0.5F), 0.75F);
  EXPECT_EQ(f(Function::elu, 2, 1), 2.0F);
  EXPECT_FLOAT_EQ(f(Function::elu, -1, 2), 2 * std::expm1(-1.0F));
  EXPECT_FLOAT_EQ(f(Function::mish, 1), std::tanh(std::log1p(std::exp(1.0F))));
  EXPECT_FLOAT_EQ(f(Function::softplus, -1), std::log1p(std::exp(-1.0F)));
  EXPECT_FLOAT_EQ(f(Function::gelu, 1), 0.84134474F);
  EXPECT_EQ(f(Function::leaky_relu, -2, 0.5F), -1.0F);
  EXPECT_EQ(f(Function::clip, 7, -1, 6), 6.0F);
  EXPECT_EQ(f(Function::round, 2.5F), 2.0F);
  EXPECT_EQ(f(Function::abs, -2), 2.0F);
  EXPECT_EQ(f(Function::neg, -2), 2.0F);
}

TEST(Functions, NoInputGivesNotANumber) {
  for (const FunctionInfo& f : all_functions()) {
    for (int q = -32768; q <= 32768; q += 17) {
      for (const int e : {-30, -12, 0, 30}) {
        const float x = std::ldexp(static_cast<float>(q), e);
        EXPECT_FALSE(
            std::isnan(evaluate(f.function, x, f.alpha.value_or(0.0F), f.beta.value_or(0.0F))))
            << f.name << " " << x;
      }
    }
  }
}

TEST(Table, LengthTypeAndExponent) {
  for (const auto& [step, count] :
       {std::pair{1, 65536}, {2, 32769}, {32, 2049}, {256, 257}, {32768, 3}}) {
    const auto table = build(spec16(Function::tanh, -12, -15, step));
    ASSERT_TRUE(table.ok());
    EXPECT_EQ(table->shape.elements(), count);
    EXPECT_EQ(table->dtype, DType::int16);
    EXPECT_EQ(table->quant, Quant::power_of_two(-15));
  }
  TableSpec narrow = spec16(Function::tanh, -5, -7, 1);
  narrow.bits = 8;
  const auto table = build(narrow);
  ASSERT_TRUE(table.ok());
  EXPECT_EQ(table->dtype, DType::int8);
  EXPECT_EQ(table->shape.elements(), 256);
}

// sigmoid(0) = 0.5: with an output of 2^0 a tie.
TEST(Table, TiesFollowTheTarget) {
  TableSpec spec = spec16(Function::sigmoid, 0, 0, 1);
  EXPECT_EQ(rounded_value(spec, 0), 0);
  spec.rounding = Rounding::half_up;
  EXPECT_EQ(rounded_value(spec, 0), 1);
  spec.function = Function::neg;
  spec.out_exponent = 1;
  EXPECT_EQ(rounded_value(spec, 3), -1);  // -1.5
  spec.rounding = Rounding::half_even;
  EXPECT_EQ(rounded_value(spec, 3), -2);
}

TEST(Table, SaturatesAndReachesOneStepBeyondTheRange) {
  const TableSpec spec = spec16(Function::identity, 0, 0, 256);
  const auto table = build(spec);
  ASSERT_TRUE(table.ok());
  EXPECT_EQ(table->as<int16_t>().front(), -32768);
  EXPECT_EQ(table->as<int16_t>().back(), 32767);  // of 32768
  EXPECT_EQ(rounded_value(spec16(Function::exp, 0, 0, 1), 32767), 32767);
}

TEST(Table, EdgesOfLogarithmAndRoot) {
  const TableSpec log = spec16(Function::log, -8, -8, 1);
  EXPECT_EQ(rounded_value(log, 0), -32768);
  EXPECT_EQ(rounded_value(log, -5), -32768);
  EXPECT_EQ(rounded_value(log, 256), 0);
  EXPECT_EQ(rounded_value(spec16(Function::sqrt, -8, -8, 1), -5), 0);
}

TEST(Table, RefusesStepsWithTheCalculation) {
  const auto table = build(spec16(Function::tanh, -12, -15, 100));
  ASSERT_FALSE(table.ok());
  EXPECT_EQ(table.error().code, ErrorCode::lut_step);
  EXPECT_EQ(table.error().message, "a step of 100 does not divide 65536: 65536 = 655 * 100 + 36");
  ASSERT_EQ(table.error().details.size(), 2U);
  EXPECT_EQ(table.error().details[0],
            "entries: one per 100 of 65536 inputs and one at the end = 657");
  EXPECT_EQ(table.error().details[1], "the runtime divides 65536 by 656 and takes 99 for the step");
  for (const int step : {0, -1, 3, 65536, 65535, 1000000})
    EXPECT_FALSE(check_step(step).ok()) << step;
  for (int step = 1; step <= 32768; step *= 2) EXPECT_TRUE(check_step(step).ok()) << step;
}

TEST(Table, RefusesOtherNonsense) {
  TableSpec spec = spec16(Function::tanh, -12, -15, 32);
  const auto refused = [](TableSpec s) {
    const auto table = build(s);
    return !table.ok() &&
           (table.error().code == ErrorCode::lut_spec || table.error().code == ErrorCode::lut_step);
  };
  EXPECT_FALSE(refused(spec));
  spec.bits = 12;
  EXPECT_TRUE(refused(spec));
  spec.bits = 8;
  EXPECT_TRUE(refused(spec));  // step 32
  spec = spec16(Function::tanh, -31, -15, 32);
  EXPECT_TRUE(refused(spec));
  spec = spec16(Function::tanh, -12, std::numeric_limits<int>::max(), 32);
  EXPECT_TRUE(refused(spec));
  spec = spec16(Function::tanh, -12, -15, 32);
  spec.alpha = 1.0F;
  EXPECT_TRUE(refused(spec));
  spec.function = Function::elu;
  EXPECT_FALSE(refused(spec));
  spec.alpha = std::numeric_limits<float>::infinity();
  EXPECT_TRUE(refused(spec));
  spec.alpha.reset();
  spec.rounding = Rounding::floor;
  EXPECT_TRUE(refused(spec));
}

}  // namespace
}  // namespace edgetwin::lut

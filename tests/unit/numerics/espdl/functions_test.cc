// Element-wise arithmetic of ESP-DL: roundings, assignment, the float forms, reductions.
// Source: specification of the runtime 4.1, 4.5; operators 3, 4, 5, 8.
#include <gtest/gtest.h>

#include <cmath>

#include "numerics/espdl/espdl.h"

namespace edgetwin::numerics::espdl {
namespace {

TEST(EspdlRounding, FloatTies) {
  const float ties[] = {-2.5F, -1.5F, -0.5F, 0.5F, 1.5F, 2.5F};
  const int up[] = {-2, -1, 0, 1, 2, 3};
  const int even[] = {-2, -2, 0, 0, 2, 2};
  for (int i = 0; i < 6; ++i) {
    EXPECT_EQ((round_to<int8_t, UnitC>(ties[i])), up[i]);
    EXPECT_EQ((round_to<int8_t, UnitS3>(ties[i])), up[i]);
    EXPECT_EQ((round_to<int8_t, UnitP4>(ties[i])), even[i]);
    EXPECT_EQ((round_to<int16_t, UnitP4Portable>(ties[i])), even[i]);
  }
  EXPECT_EQ((round_to<int8_t, UnitC>(1e30F)), 127);
  EXPECT_EQ((round_to<int16_t, UnitP4>(-1e30F)), -32768);
  EXPECT_EQ((round_to<int8_t, UnitC>(127.49F)), 127);
}

// The addition of one half is done in float32: the largest number below 1/2 becomes 1.
TEST(EspdlRounding, HalfIsAddedInFloat) {
  const float below = std::nextafter(0.5F, 0.0F);
  EXPECT_EQ((round_to<int8_t, UnitC>(below)), 1);
  EXPECT_EQ((round_to<int8_t, UnitP4>(below)), 0);
}

TEST(EspdlRounding, Doubles) {
  EXPECT_EQ((round_double_to<int16_t, UnitC>(-2.5)), -2);
  EXPECT_EQ((round_double_to<int16_t, UnitS3>(2.5)), 3);
  EXPECT_EQ((round_double_to<int16_t, UnitP4>(2.5)), 2);
  EXPECT_EQ((round_double_to<int16_t, UnitP4>(3.5)), 4);
  EXPECT_EQ((round_double_to<int16_t, UnitP4>(-2.5)), -2);
  EXPECT_EQ((round_double_to<int16_t, UnitP4>(-3.5)), -4);
  EXPECT_EQ((round_double_to<int16_t, UnitP4>(2.4)), 2);
  EXPECT_EQ((round_double_to<int16_t, UnitP4>(2.6)), 3);
  // All within a millionth of a tie is one.
  EXPECT_EQ((round_double_to<int16_t, UnitP4>(2.5 + 5e-7)), 2);
  EXPECT_EQ((round_double_to<int16_t, UnitP4>(2.5 + 5e-6)), 3);
  EXPECT_EQ((round_double_to<int16_t, UnitP4>(2.5 - 5e-7)), 2);
  EXPECT_EQ((round_double_to<int16_t, UnitP4>(1e9)), 32767);
}

template <class Rule>
Rule assign(int from, int to, int64_t elements = 100) {
  UnarySpec spec;
  spec.in = Quant::power_of_two(from);
  spec.out = Quant::power_of_two(to);
  spec.elements = elements;
  return *Rule::make(spec);
}

TEST(EspdlAssign, BetweenIntegers) {
  using Narrow = Requantize<int16_t, int8_t, UnitS3>;
  EXPECT_EQ((assign<Narrow>(-10, -3)(64)), 1);  // 64 / 128 is a tie
  EXPECT_EQ((assign<Narrow>(-10, -3)(-64)), 0);
  EXPECT_EQ((assign<Narrow>(-10, -3)(32767)), 127);
  using Even = Requantize<int16_t, int8_t, UnitP4>;
  EXPECT_EQ((assign<Even>(-10, -3)(64)), 0);
  EXPECT_EQ((assign<Even>(-10, -3)(192)), 2);
  EXPECT_EQ((assign<Requantize<int8_t, int16_t, UnitS3>>(-3, -10)(-128)), -16384);
  EXPECT_EQ((assign<Requantize<int8_t, int16_t, UnitS3>>(-3, -13)(-128)), -32768);
  EXPECT_EQ((assign<Requantize<int16_t, int8_t, UnitC>>(-3, -3)(300)), 127);
  EXPECT_EQ((assign<Requantize<int8_t, int8_t, UnitC>>(-3, -30)(1)), 127);
}

TEST(EspdlAssign, TheFactorOfTheS3HasEightBits) {
  using Trap = Requantize<int8_t, int8_t, UnitS3>;
  EXPECT_EQ((assign<Trap>(0, -6)(1)), 64);
  EXPECT_EQ((assign<Trap>(0, -7)(1)), -128);  // the factor 128 is read as -128
  EXPECT_EQ((assign<Trap>(0, -7)(-1)), 127);
  EXPECT_EQ((assign<Trap>(0, -8)(100)), 0);
  EXPECT_EQ((assign<Trap>(0, -12)(-100)), 0);
  // Up to 50 elements are computed in float; other chips and types have a wider factor.
  EXPECT_EQ((assign<Trap>(0, -7, 50)(1)), 127);
  EXPECT_EQ((assign<Trap>(0, -7, 51)(1)), -128);
  EXPECT_EQ((assign<Requantize<int8_t, int8_t, UnitP4>>(0, -7)(1)), 127);
  EXPECT_EQ((assign<Requantize<int8_t, int8_t, UnitC>>(0, -7)(1)), 127);
  EXPECT_EQ((assign<Requantize<int8_t, int16_t, UnitS3>>(0, -7)(1)), 128);
  EXPECT_EQ((assign<Requantize<int16_t, int8_t, UnitS3>>(0, -7)(-1)), -128);
}

TEST(EspdlAssign, FloatsInAndOut) {
  EXPECT_EQ((assign<QuantizeFloat<int8_t, UnitC>>(0, -2)(0.625F)), 3);
  EXPECT_EQ((assign<QuantizeFloat<int8_t, UnitP4>>(0, -2)(0.625F)), 2);
  EXPECT_EQ((assign<QuantizeFloat<int16_t, UnitP4>>(0, -2)(1e9F)), 32767);
  EXPECT_EQ((assign<DequantizeFloat<int8_t>>(-7, 0)(-128)), -1.0F);
  EXPECT_EQ((assign<DequantizeFloat<int16_t>>(3, 0)(5)), 40.0F);
  UnarySpec spec;
  spec.in = Quant::power_of_two(31);
  EXPECT_FALSE((DequantizeFloat<int8_t>::make(spec).ok()));
  spec.in = Quant::affine(0.5F, 0);
  EXPECT_FALSE((DequantizeFloat<int8_t>::make(spec).ok()));
}

TEST(EspdlFunctions, TheRuntimesOwnFormulas) {
  const auto f = [](UnaryKind kind, float x, float alpha = 0.0F, float beta = 0.0F) {
    return RealFunction{kind, alpha, beta}(x);
  };
  EXPECT_NEAR(f(UnaryKind::logistic, 1.0F), 1.0 / (1.0 + std::exp(-1.0)), 1e-7);
  EXPECT_EQ(f(UnaryKind::tanh, 0.3F), 2.0F * f(UnaryKind::logistic, 0.6F) - 1.0F);
  EXPECT_EQ(f(UnaryKind::swish, 0.7F), f(UnaryKind::logistic, 0.7F) * 0.7F);
  EXPECT_EQ(f(UnaryKind::hard_sigmoid, 1.0F, 0.2F, 0.5F), 0.2F * 1.0F + 0.5F);
  EXPECT_EQ(f(UnaryKind::hard_sigmoid, 9.0F, 0.2F, 0.5F), 1.0F);
  EXPECT_EQ(f(UnaryKind::hard_sigmoid, -9.0F, 0.2F, 0.5F), 0.0F);
  // 0.166667 is more than 1/6: full slope is reached a little before 3.
  EXPECT_EQ(f(UnaryKind::hard_swish, 2.999996F), 2.999996F);
  EXPECT_EQ(f(UnaryKind::hard_swish, -3.0F), 0.0F);
  EXPECT_EQ(f(UnaryKind::elu, -1.0F, 2.0F), 2.0F * (std::exp(-1.0F) - 1.0F));
  EXPECT_EQ(f(UnaryKind::elu, 3.0F, 2.0F), 3.0F);
  EXPECT_EQ(f(UnaryKind::leaky_relu, -4.0F, 0.25F), -1.0F);
  EXPECT_EQ(f(UnaryKind::exp, 0.0F), 1.0F);
  EXPECT_EQ(f(UnaryKind::sqrt, 2.25F), 1.5F);
}

TEST(EspdlFunctions, ReluOfEqualExponentsIsRaw) {
  UnarySpec spec;
  spec.kind = UnaryKind::relu;
  spec.in = spec.out = Quant::power_of_two(-4);
  const auto raw = *Unary<int8_t, UnitC>::make(spec);
  EXPECT_EQ(raw(-5), 0);
  EXPECT_EQ(raw(5), 5);
  spec.out = Quant::power_of_two(-3);
  const auto up = *Unary<int8_t, UnitC>::make(spec);
  const auto even = *Unary<int8_t, UnitP4>::make(spec);
  EXPECT_EQ(up(5), 3);
  EXPECT_EQ(even(5), 2);
  EXPECT_EQ(up(-5), 0);
}

TEST(EspdlFunctions, NegSaturates) {
  UnarySpec spec;
  spec.kind = UnaryKind::neg;
  const auto neg = *Unary<int8_t, UnitS3>::make(spec);
  EXPECT_EQ(neg(-128), 127);
  EXPECT_EQ(neg(7), -7);
  EXPECT_EQ((*Unary<int16_t, UnitP4>::make(spec))(-32768), 32767);
}

TEST(EspdlFunctions, LeakyReluRescalesFirst) {
  UnarySpec spec;
  spec.kind = UnaryKind::leaky_relu;
  spec.in = Quant::power_of_two(-4);
  spec.out = Quant::power_of_two(-6);
  spec.alpha = 0.1F;
  const auto leaky = *Unary<int16_t, UnitC>::make(spec);
  for (int q = -300; q < 300; ++q) {
    const float x = static_cast<float>(q) * 4.0F;
    const float wanted = q >= 0 ? x : x * 0.1F;
    EXPECT_EQ(leaky(static_cast<int16_t>(q)), static_cast<int>(std::floor(wanted + 0.5F))) << q;
  }
}

TEST(EspdlFunctions, UndefinedConversionsAreTheLowestValue) {
  UnarySpec spec;
  spec.in = spec.out = Quant::power_of_two(-4);
  for (const UnaryKind kind : {UnaryKind::sqrt, UnaryKind::log}) {
    spec.kind = kind;
    EXPECT_EQ((*Unary<int8_t, UnitC>::make(spec))(-1), -128);
  }
  spec.kind = UnaryKind::relu6;
  EXPECT_FALSE((Unary<int8_t, UnitC>::make(spec).ok()));
}

TEST(EspdlReduce, NewtonsRootStopsEarly) {
  EXPECT_EQ(newton_sqrt(0.0F), 0.0F);
  EXPECT_NEAR(newton_sqrt(2.0F), std::sqrt(2.0F), 1e-6);
  EXPECT_NEAR(newton_sqrt(1e6F), 1000.0F, 1e-3);
  // From a tiny number the iteration jumps to 1/2, halves, and stops when it changes by no more
  // than 1e-5: far above the root.
  float y = 1e-12F;
  for (;;) {
    const float next = (y + 1e-12F / y) / 2.0F;
    const bool last = std::fabs(next - y) <= 1e-5F;
    y = next;
    if (last) break;
  }
  EXPECT_EQ(newton_sqrt(1e-12F), y);
  EXPECT_GT(newton_sqrt(1e-12F), 2e-6F);
  EXPECT_TRUE(std::isnan(newton_sqrt(-1.0F)) || newton_sqrt(-1.0F) < 1e30F);  // it ends
}

template <class T, class Unit>
int reduced(ReduceKind kind, const std::vector<int>& values, int e_in, int e_out) {
  ReduceSpec spec;
  spec.kind = kind;
  spec.in = Quant::power_of_two(e_in);
  spec.out = Quant::power_of_two(e_out);
  spec.count = static_cast<int64_t>(values.size());
  const auto rule = *Reduce<T, Unit>::make(spec);
  auto acc = rule.start();
  for (const int v : values) acc = rule.take(acc, static_cast<T>(v));
  return rule.finish(acc);
}

TEST(EspdlReduce, IntegerReductions) {
  const std::vector<int> v = {3, -7, 100, -128};
  EXPECT_EQ((reduced<int8_t, UnitC>(ReduceKind::max, v, -3, 5)), 100);
  EXPECT_EQ((reduced<int8_t, UnitC>(ReduceKind::min, v, -3, 5)), -128);
  EXPECT_EQ((reduced<int8_t, UnitC>(ReduceKind::sum, v, -3, -3)), -32);
  EXPECT_EQ((reduced<int8_t, UnitC>(ReduceKind::sum, {5}, -3, -2)), 3);
  EXPECT_EQ((reduced<int8_t, UnitP4>(ReduceKind::sum, {5}, -3, -2)), 2);
  EXPECT_EQ((reduced<int8_t, UnitC>(ReduceKind::sum, {5}, -3, -5)), 20);
  EXPECT_EQ((reduced<int8_t, UnitC>(ReduceKind::sum, {5}, -3, -9)), 127);
  EXPECT_EQ((reduced<int8_t, UnitS3>(ReduceKind::l1, v, -3, 0)), 30);  // 238 / 8 = 29.75
  EXPECT_EQ((reduced<int8_t, UnitC>(ReduceKind::l1, v, -3, -3)), 127);
  // 9 + 49 + 10000 + 16384 = 26442, / 2^8 = 103.29
  EXPECT_EQ((reduced<int8_t, UnitC>(ReduceKind::sum_square, v, -3, 2)), 103);
  EXPECT_EQ((reduced<int16_t, UnitC>(ReduceKind::sum_square, {-32768, -32768}, -10, -20)), 32767);
  EXPECT_EQ((reduced<int16_t, UnitC>(ReduceKind::sum_square, {-32768, -32768}, -10, -4)), 32767);
  EXPECT_EQ((reduced<int16_t, UnitC>(ReduceKind::sum_square, {-32768, -32768}, -10, -3)), 16384);
}

TEST(EspdlReduce, FloatReductions) {
  EXPECT_EQ((reduced<int8_t, UnitC>(ReduceKind::mean, {1, 2}, -3, -3)), 2);
  EXPECT_EQ((reduced<int8_t, UnitP4>(ReduceKind::mean, {2, 3}, -3, -3)), 2);
  EXPECT_EQ((reduced<int8_t, UnitC>(ReduceKind::l2, {3, 4}, 0, 0)), 5);
  EXPECT_EQ((reduced<int8_t, UnitC>(ReduceKind::l2, {-30, 40}, -3, -3)), 50);
  EXPECT_EQ((reduced<int8_t, UnitC>(ReduceKind::prod, {3, -4, 5}, -1, -1)), -15);  // -60 / 4
  EXPECT_EQ((reduced<int8_t, UnitC>(ReduceKind::prod, {127, 127, 127}, 0, 0)), 127);
  EXPECT_EQ((reduced<int16_t, UnitC>(ReduceKind::prod, {5}, -1, 0)), 3);
  EXPECT_EQ((reduced<int16_t, UnitP4>(ReduceKind::prod, {5}, -1, 0)), 2);
  EXPECT_EQ((reduced<int8_t, UnitC>(ReduceKind::log_sum, {60, 40}, -2, -4)),
            52);  // 16 ln 25 = 51.5
  EXPECT_EQ((reduced<int8_t, UnitC>(ReduceKind::log_sum_exp, {8, 8}, -3, -4)),
            27);  // 16 (1 + ln 2)
  // No maximum is subtracted: the sum is infinite.
  EXPECT_EQ((reduced<int8_t, UnitC>(ReduceKind::log_sum_exp, {100, 100}, 0, 0)), 127);
}

TEST(EspdlReduce, TheSquareOfTheScaleMustBePossible) {
  ReduceSpec spec;
  spec.kind = ReduceKind::l2;
  spec.out = Quant::power_of_two(0);
  spec.in = Quant::power_of_two(-15);
  EXPECT_TRUE((Reduce<int16_t, UnitC>::make(spec).ok()));
  spec.in = Quant::power_of_two(-16);
  const auto refused = Reduce<int16_t, UnitC>::make(spec);
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.error().code, ErrorCode::op_undefined);
  spec.allow_undefined = true;
  EXPECT_TRUE((Reduce<int16_t, UnitC>::make(spec).ok()));
}

TEST(EspdlPool, TheWholeWindowDivides) {
  PoolSpec spec;
  spec.in = spec.out = Quant::power_of_two(-3);
  spec.area = 4;
  const auto pool = *Pool<int8_t, UnitC>::make(spec);
  auto acc = pool.take(pool.take(pool.start(), 5), 5);
  EXPECT_EQ(pool.finish(acc, 2), 3);  // 10 / 4 although two taps are in the picture
  const auto even = *Pool<int8_t, UnitP4>::make(spec);
  EXPECT_EQ(even.finish(10, 2), 2);
  // 1 / 9 is rounded to float32: 9 * 0.5 is no tie any more.
  spec.area = 9;
  const auto ninth = *Pool<int16_t, UnitP4>::make(spec);
  EXPECT_EQ(ninth.finish(9, 9), 1);
  const float factor = 1.0F / 9.0F;
  for (int sum = -2000; sum < 2000; ++sum) {
    EXPECT_EQ(ninth.finish(sum, 9),
              static_cast<int>(std::nearbyint(static_cast<float>(sum) * factor)));
  }
}

TEST(EspdlSoftmax, EightBitsDoNotSubtractTheMaximum) {
  SoftmaxSpec spec;
  spec.in = Quant::power_of_two(0);
  const auto rule = *Softmax8::make(spec);
  const int8_t large[] = {100, 0};
  float y[2];
  rule.row(large, 2, y);
  EXPECT_TRUE(std::isnan(y[0]));
  EXPECT_EQ(y[1], 0.0F);
  const int8_t x[] = {1, 2};
  rule.row(x, 2, y);
  EXPECT_NEAR(y[0], 1.0 / (1.0 + std::exp(1.0)), 1e-6);
  const auto wide = *Softmax<int16_t>::make(spec);
  const int16_t large16[] = {1000, 0};
  wide.row(large16, 2, y);
  EXPECT_EQ(y[0], 1.0F);
  EXPECT_EQ(y[1], 0.0F);
  spec.logarithm = true;
  (*Softmax<int16_t>::make(spec)).row(large16, 2, y);
  EXPECT_EQ(y[0], 0.0F);
  EXPECT_EQ(y[1], -1000.0F);
  (*Softmax8::make(spec)).row(x, 2, y);
  EXPECT_NEAR(y[0], -std::log(1.0 + std::exp(1.0)), 1e-6);
}

}  // namespace
}  // namespace edgetwin::numerics::espdl

#include <gtest/gtest.h>

#include <cmath>

#include "numerics/fixed_functions.h"
#include "numerics/fixed_point.h"
#include "numerics/rounding.h"
#include "numerics/sigmoid16.h"

namespace edgetwin::numerics {
namespace {

// What each rounding does to the quarters around zero: -1.5, -1.25, … 1.5.
TEST(Rounding, WorkedExamples) {
  struct Row {
    Rounding rounding;
    int expected[13];
  };
  const Row rows[] = {
      {Rounding::truncate, {-1, -1, -1, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1}},
      {Rounding::floor, {-2, -2, -1, -1, -1, -1, 0, 0, 0, 0, 1, 1, 1}},
      {Rounding::half_up, {-1, -1, -1, -1, 0, 0, 0, 0, 1, 1, 1, 1, 2}},
      {Rounding::half_away, {-2, -1, -1, -1, -1, 0, 0, 0, 1, 1, 1, 1, 2}},
      {Rounding::half_even, {-2, -1, -1, -1, 0, 0, 0, 0, 0, 1, 1, 1, 2}},
  };
  for (const Row& row : rows) {
    for (int quarters = -6; quarters <= 6; ++quarters) {
      const int expected = row.expected[quarters + 6];
      EXPECT_EQ(rounding_shift(quarters, 2, row.rounding), expected)
          << quarters << "/4, rounding " << static_cast<int>(row.rounding);
      EXPECT_EQ(round_float(quarters / 4.0, row.rounding), expected)
          << quarters << "/4, rounding " << static_cast<int>(row.rounding);
    }
  }
}

TEST(Rounding, IntegerAndFloatFormsAgree) {
  for (const auto r : {Rounding::truncate, Rounding::floor, Rounding::half_up, Rounding::half_away,
                       Rounding::half_even}) {
    for (int e = 0; e <= 9; ++e) {
      for (int x = -1500; x <= 1500; ++x) {
        ASSERT_EQ(static_cast<double>(rounding_shift(x, e, r)), round_float(std::ldexp(x, -e), r))
            << x << " / 2^" << e;
      }
    }
  }
}

TEST(Saturate, Limits) {
  EXPECT_EQ(saturate<int8_t>(200), 127);
  EXPECT_EQ(saturate<int8_t>(-129), -128);
  EXPECT_EQ(saturate_bits(1 << 19, 20), (1 << 19) - 1);
  EXPECT_EQ(saturate_bits(-(1 << 19) - 1, 20), -(1 << 19));
  EXPECT_EQ(saturate_float(std::nanf(""), -5, 5), -5);
  EXPECT_EQ(saturate_float(1e30F, -5, 5), 5);
}

TEST(QuantizeMultiplier, WorkedExamples) {
  constexpr auto kDouble = Requantization::double_rounding;
  EXPECT_EQ(quantize_multiplier(0.0, kDouble), (QuantizedMultiplier{0, 0}));
  EXPECT_EQ(quantize_multiplier(1.0, kDouble), (QuantizedMultiplier{1 << 30, 1}));
  EXPECT_EQ(quantize_multiplier(0.5, kDouble), (QuantizedMultiplier{1 << 30, 0}));
  EXPECT_EQ(quantize_multiplier(0.75, kDouble), (QuantizedMultiplier{1610612736, 0}));
  // A fraction that rounds up to one moves into the exponent.
  EXPECT_EQ(quantize_multiplier(1.0 - std::ldexp(1.0, -40), kDouble),
            (QuantizedMultiplier{1 << 30, 1}));
  EXPECT_EQ(quantize_multiplier(std::ldexp(1.0, -40), kDouble), (QuantizedMultiplier{0, 0}));
  EXPECT_EQ(quantize_multiplier(std::ldexp(1.0, 35), Requantization::single_rounding),
            (QuantizedMultiplier{INT32_MAX, 30}));
}

TEST(FixedPoint, OverflowingProductSaturates) {
  EXPECT_EQ(saturating_rounding_doubling_high_mul(INT32_MIN, INT32_MIN), INT32_MAX);
  EXPECT_EQ(saturating_rounding_doubling_high_mul(int16_t{INT16_MIN}, int16_t{INT16_MIN}),
            INT16_MAX);
  EXPECT_EQ(saturating_rounding_doubling_high_mul(1 << 30, 1 << 30), 1 << 29);
}

// The example of docs/numerics.md: 100 * 0.0025 = 0.25, and a case in which the two builds differ.
TEST(FixedPoint, DoubleAndSingleRoundingDiffer) {
  const QuantizedMultiplier m = quantize_multiplier(0.25, Requantization::double_rounding);
  EXPECT_EQ(m, (QuantizedMultiplier{1 << 30, -1}));
  // 5 * 0.25 = 1.25: the first step gives 5 * 0.5 = 2.5 -> 3, the second 3 / 2 = 1.5 -> 2.
  EXPECT_EQ(multiply_double_rounding(5, m), 2);
  // One step: 1.25 -> 1.
  EXPECT_EQ(multiply_single_rounding(5, m), 1);
}

TEST(FixedPoint, WideMultiplyHasFifteenBitMultiplier) {
  // 0.3 = 0.6 * 2^-1; 0.6 in 15 bits is 19661 / 32768: 1'000'000 * 19661 / 65536 = 300003.05.
  const QuantizedMultiplier m = quantize_multiplier(0.3, Requantization::double_rounding);
  EXPECT_EQ(multiply_wide(1000000, m), 300003);
}

// Each function against the real one, over its whole 8-bit use. The polynomial of exp is good to
// 3e-7 (about 600 units of 2^-31), far below one output step; equality is the golden tests' part.
TEST(FixedFunctions, CloseToTheRealFunctions) {
  for (int i = -32768; i <= 32767; i += 5) {
    const int32_t raw = i * 65536;  // Q4
    const double x = std::ldexp(raw, -27);
    EXPECT_NEAR(std::ldexp(fixed_logistic<4>(raw), -31), 1 / (1 + std::exp(-x)), 1e-7) << x;
    EXPECT_NEAR(std::ldexp(fixed_tanh<4>(raw), -31), std::tanh(x), 1e-6) << x;
    if (i > 0) continue;
    EXPECT_NEAR(std::ldexp(exp_on_negative<5>(raw), -31), std::exp(2 * x), 3e-7) << x;
  }
}

TEST(FixedFunctions, InverseSquareRoot) {
  for (const int32_t v : {2, 3, 4, 100, 65536, 1000003, INT32_MAX}) {
    const QuantizedMultiplier m = inverse_sqrt(v);
    const double real = std::ldexp(m.multiplier, m.shift - 31);
    EXPECT_NEAR(real * std::sqrt(v), 1.0, 1e-5) << v;
  }
}

TEST(FixedFunctions, ReciprocalOfSums) {
  for (const int32_t v : {1, 4096, 5000, 1 << 20, INT32_MAX}) {
    const Reciprocal r = reciprocal(v, 12);
    EXPECT_NEAR(std::ldexp(r.value, -31 - r.over) * std::ldexp(v, -19), 1.0, 1e-6) << v;
  }
}

TEST(Sigmoid16, CloseToTheRealFunctionsAndSymmetric) {
  const Input16 in = power_of_two_input16(0);
  for (int x = -32768; x <= 32767; ++x) {
    const int32_t v = scale_input16(static_cast<int16_t>(x), in);
    EXPECT_NEAR(logistic16(v) / 32768.0, 1 / (1 + std::exp(-x / 4096.0)), 3e-4) << x;
    EXPECT_NEAR(tanh16(v) / 32768.0, std::tanh(x / 4096.0), 6e-4) << x;
  }
}

}  // namespace
}  // namespace edgetwin::numerics

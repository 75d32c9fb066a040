// Arithmetic of MAX78000 and MAX78002, where the specification gives values.
#include "numerics/max78/max78.h"

#include <gtest/gtest.h>

#include <cmath>

namespace edgetwin::numerics::max78 {
namespace {

TEST(Max78Numerics, ShiftRoundsHalfUp) {
  EXPECT_EQ(shifted(64, 0), 1);   // 0.5
  EXPECT_EQ(shifted(-64, 0), 0);  // -0.5
  EXPECT_EQ(shifted(-65, 0), -1);
  EXPECT_EQ(shifted(-192, 0), -1);  // -1.5
  EXPECT_EQ(shifted(5, 7), 5);
  EXPECT_EQ(shifted(5, 9), 20);
  EXPECT_EQ(shifted(-5, 15), -1280);
  EXPECT_EQ(shifted(1 << 21, -15), 1);  // 2^21 / 2^22
  for (int shift = -15; shift <= 15; ++shift) {
    for (int64_t sum = -70000; sum <= 70000; sum += 37) {
      const double exact =
          std::floor(0.5 + static_cast<double>(sum) * std::pow(2.0, shift) / 128.0);
      ASSERT_EQ(static_cast<double>(shifted(sum, shift)), exact) << sum << " " << shift;
    }
  }
}

TEST(Max78Numerics, Activations) {
  EXPECT_EQ(activated(300, Activation::none), 127);
  EXPECT_EQ(activated(-300, Activation::none), -128);
  EXPECT_EQ(activated(-3, Activation::relu), 0);
  EXPECT_EQ(activated(-3, Activation::absolute), 3);
  EXPECT_EQ(activated(-128, Activation::absolute), 127);
}

// Against the exact quotient, by every rounding.
TEST(Max78Numerics, QuotientsByName) {
  for (const Rounding r : {Rounding::truncate, Rounding::floor, Rounding::half_up,
                           Rounding::half_away, Rounding::half_even}) {
    for (int count = 1; count <= 12; ++count) {
      for (int sum = -40; sum <= 40; ++sum) {
        const double exact = round_float(static_cast<double>(sum) / count, r);
        ASSERT_EQ(quotient(sum, count, r), static_cast<int>(exact)) << sum << "/" << count;
      }
    }
  }
}

TEST(Max78Numerics, AveragesTruncateOrRoundAway) {
  const AveragePool truncates, rounds{Rounding::half_away};
  EXPECT_EQ(truncates.finish(-3, 4), 0);
  EXPECT_EQ(truncates.finish(-6, 4), -1);
  EXPECT_EQ(truncates.finish(-7, 4), -1);
  EXPECT_EQ(rounds.finish(2, 4), 1);
  EXPECT_EQ(rounds.finish(-2, 4), -1);
  EXPECT_EQ(rounds.finish(-6, 4), -2);
}

TEST(Max78Numerics, OperandsAreCombinedWithoutLimits) {
  EXPECT_EQ(combined(Eltwise::add, combined(Eltwise::add, 100, 100), -90), 110);
  EXPECT_EQ(combined(Eltwise::sub, -128, 127), -255);
  EXPECT_EQ(combined(Eltwise::bit_or, -128, 1), -127);
  EXPECT_EQ(combined(Eltwise::bit_xor, -1, 0x55), ~0x55);
}

}  // namespace
}  // namespace edgetwin::numerics::max78

// What instructions tell about scales, by itself.
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <random>
#include <vector>

#include "numerics/edgetpu/elementwise.h"
#include "targets/edgetpu/decompile/scales/scale_conditions.h"

namespace edgetwin::edgetpu {
namespace {

constexpr float kIn = 0.0123456F;
constexpr float kOut = 0.0345678F;

TEST(ScaleLaws, WeightsOfALayerAreFoundForItsMultipliers) {
  for (const float weight : {0.001F, 0.0123F, 0.5F}) {
    const float wanted = chip_multiplier(kIn, weight, kOut);
    const float found = solve_weight(kIn, kOut, wanted);
    ASSERT_NE(found, 0.0F);
    EXPECT_EQ(chip_multiplier(kIn, found, kOut), wanted);
  }
}

// Two roundings do not reach every number: of the neighbours of one that is reached some are not.
TEST(ScaleLaws, SomeMultipliersHaveNoWeight) {
  // 1 / 0.0446 is 1.4 * 16: products between 1.4 and 2 are further apart than floats.
  const float out = 0.0446F;
  const float first = chip_multiplier(kIn, 0.0025F, out);
  int missing = 0;
  for (int u = 0; u < 64; ++u) {
    missing += solve_weight(kIn, out, step_float(first, u)) == 0.0F ? 1 : 0;
  }
  EXPECT_GT(missing, 0);
  EXPECT_LT(missing, 64);
}

TEST(ScaleLaws, AWeightedLawHoldsForItsOwnScalesAndFewOthers) {
  ScaleLaw law;
  law.in = 0;
  law.out = 1;
  for (int c = 0; c < 64; ++c) {
    law.wanted.push_back(chip_multiplier(kIn, 0.001F + 0.00037F * static_cast<float>(c), kOut));
  }
  EXPECT_TRUE(holds(law, kIn, 0.0F, kOut));
  EXPECT_TRUE(holds(law, 0.0F, 0.0F, kOut));  // the input is not decided
  EXPECT_TRUE(holds(law, kIn, 0.0F, 0.0F));
  int others = 0;
  for (int u = 1; u <= 100; ++u) others += holds(law, step_float(kIn, u), 0.0F, kOut) ? 1 : 0;
  EXPECT_LT(others, 10);
}

TEST(ScaleLaws, ASumTellsItsOperandsFromItsResult) {
  const float second = 0.0271828F;
  const auto w = numerics::edgetpu::add_weights(kIn, second);
  const float m = (kIn / static_cast<float>(w.a)) * (1.0F / kOut);
  const ScaleLaw law = sum_law(0, 1, 2, m, w.a, w.b);
  ASSERT_TRUE(holds(law, kIn, second, kOut));
  const auto firsts = derive(law, 0, 0.0F, 0.0F, kOut);
  EXPECT_NE(std::find(firsts.begin(), firsts.end(), kIn), firsts.end());
  const auto seconds = derive(law, 1, kIn, 0.0F, kOut);
  EXPECT_NE(std::find(seconds.begin(), seconds.end(), second), seconds.end());
  const auto results = derive(law, 2, kIn, second, 0.0F);
  EXPECT_NE(std::find(results.begin(), results.end(), kOut), results.end());
  for (const float s : seconds) EXPECT_TRUE(holds(law, kIn, s, kOut));
  EXPECT_FALSE(holds(law, kIn, second * 1.001F, kOut));
}

TEST(ScaleLaws, ProductsPoolsAndRescalingTellTheMissingScale) {
  const float inverse = 1.0F / kOut;
  ScaleLaw rescale{.kind = ScaleLawKind::rescale, .in = 0, .out = 1, .wanted = {kIn * inverse}};
  ScaleLaw pool{.kind = ScaleLawKind::pool,
                .in = 0,
                .out = 1,
                .wanted = {(kIn * (1.0F / 49.0F)) * inverse},
                .count = 49};
  ScaleLaw square{.kind = ScaleLawKind::product,
                  .in = 0,
                  .second = 0,
                  .out = 1,
                  .wanted = {(kIn * kIn) * inverse}};
  for (const ScaleLaw& law : {rescale, pool, square}) {
    const float second = law.kind == ScaleLawKind::product ? kIn : 0.0F;
    EXPECT_TRUE(holds(law, kIn, second, kOut));
    const auto ins = derive(law, 0, 0.0F, 0.0F, kOut);
    EXPECT_NE(std::find(ins.begin(), ins.end(), kIn), ins.end());
    const auto outs = derive(law, 1, kIn, second, 0.0F);
    EXPECT_NE(std::find(outs.begin(), outs.end(), kOut), outs.end());
  }
}

TEST(ScaleLaws, LimitsOfAnActivationTellTheScale) {
  const float scale = 0.0301F;
  const float inverse = 1.0F / scale;
  const ScaleLimits relu6{0, 0, Activation::relu6, 0.0F * inverse, 6.0F * inverse};
  EXPECT_TRUE(holds(relu6, scale));
  EXPECT_FALSE(holds(relu6, step_float(scale, 8)));
  const ScaleLimits none{0, 100, Activation::none, (-100.0F * scale) * inverse,
                         (155.0F * scale) * inverse};
  EXPECT_TRUE(holds(none, scale));
}

// One operand of a sum is found by its bounds; all that are near are tried here instead.
TEST(ScaleLaws, ASumTellsEveryOperandThatHolds) {
  std::mt19937 random(17);
  const auto any = [&] { return 0.001F + 0.05F * static_cast<float>(random() % 65536) / 65536.0F; };
  size_t found = 0;
  for (int n = 0; n < 2000; ++n) {
    const float first = any();
    // Every third pair has a quotient of small numbers, which many second operands make.
    const float second = n % 3 == 0 ? first * static_cast<float>(1 + n % 5) / 3.0F : any();
    const auto w = numerics::edgetpu::add_weights(first, second);
    if (w.a == 0 || w.b == 0) continue;
    const ScaleLaw law = sum_law(0, 1, 2, 1.0F, w.a, w.b);
    const int steps = static_cast<int>(random() % 64) - 32;
    for (const size_t unknown : {size_t{0}, size_t{1}}) {
      const float near = step_float(unknown == 1 ? first : second, steps);
      const auto of = [&](size_t tensor, float s) { return tensor == unknown ? s : near; };
      const float guess = estimate(law, unknown, of(0, 0.0F), of(1, 0.0F), 0.0F);
      std::vector<float> expected;
      for (int u = 0; u <= (law.high > 0.0 ? 48 : 12); ++u) {
        const float s = nth_nearest(guess, u);
        if (holds(law, of(0, s), of(1, s), 0.0F)) expected.push_back(s);
      }
      const auto derived = derive(law, unknown, of(0, 0.0F), of(1, 0.0F), 0.0F);
      EXPECT_EQ(std::vector<float>(derived.begin(), derived.end()), expected);
      found += expected.size();
    }
  }
  EXPECT_GT(found, 2000U);
}

TEST(ScaleLaws, ConditionsOfABlockAreThoseOfItsScales) {
  ScaleProblem problem;
  problem.anchors = {0.0F, 0.0F};
  ScaleLaw law{.in = 0, .out = 1, .wanted = {}};
  for (int c = 0; c < 5; ++c) {
    law.wanted.push_back(chip_multiplier(kIn, 0.001F + 0.00037F * static_cast<float>(c), kOut));
  }
  problem.laws = {law};
  const float inverse = 1.0F / kOut;
  problem.limits = {
      {1, 101, Activation::none, (-101.0F * kOut) * inverse, (154.0F * kOut) * inverse}};
  const ScaleIndex index(problem);
  OwnConditions blocks(index);
  OwnConditions single(index);
  const float first = std::bit_cast<float>(std::bit_cast<uint32_t>(kOut) & ~63U);
  int allowed = 0;
  for (int b = 0; b < 64; ++b) {
    const float from = step_float(first, 64 * b);
    const uint64_t together = blocks.allow_block(1, from);
    for (int i = 0; i < 64; ++i) {
      const float s = step_float(from, i);
      const bool expected = can_write(law, s) && holds(problem.limits[0], s);
      EXPECT_EQ(((together >> i) & 1U) != 0, expected);
      EXPECT_EQ(single.allow(1, s), expected);
      EXPECT_EQ(blocks.allow(1, s), expected);
      allowed += expected ? 1 : 0;
    }
  }
  EXPECT_GT(allowed, 10);
  EXPECT_LT(allowed, 4000);
}

// Issue 17: a pool that keeps its scale still rounds by it: 1 / 36 is not the factor of every
// scale.
TEST(ScaleLaws, APoolIsScaledAsByAWeight) {
  const float scale = 0.023528477F;
  ScaleLaw pool{.kind = ScaleLawKind::pool, .in = 0, .out = 0, .wanted = {0x1.c71c74p-6F}};
  pool.count = 36;
  EXPECT_TRUE(holds(pool, scale, 0.0F, scale));
  EXPECT_FALSE(holds(pool, 0.5F, 0.0F, 0.5F));
  EXPECT_TRUE(can_write(pool, scale));
}

}  // namespace
}  // namespace edgetwin::edgetpu

// What a search remembers of choices that were in vain.
#include "targets/edgetpu/decompile/scales/scale_vain.h"

#include <gtest/gtest.h>

namespace edgetwin::edgetpu {
namespace {

constexpr int kUntilItRemembers = 4096;

TEST(ScalePlaces, AreAddedAndTaken) {
  const ScalePlaces some = ScalePlaces(3).with(ScalePlaces(90));
  EXPECT_TRUE(some.has(3));
  EXPECT_TRUE(some.has(90));
  EXPECT_FALSE(some.has(67));  // the other half's bit 3
  EXPECT_EQ(some.count(), 2U);
  EXPECT_EQ(some.without(90), ScalePlaces(3));
  EXPECT_EQ(some.without(3), ScalePlaces(90));
  EXPECT_EQ(some.without(4), some);
  EXPECT_TRUE(ScalePlaces::all().has(0));
}

// Of places that share a bit none can be taken out alone.
TEST(ScalePlaces, TheLastBitIsShared) {
  const ScalePlaces far(ScalePlaces::kLast + 500);
  EXPECT_TRUE(far.shared());
  EXPECT_TRUE(far.has(ScalePlaces::kLast));
  EXPECT_EQ(far.without(ScalePlaces::kLast + 500), far);
  EXPECT_FALSE(ScalePlaces(ScalePlaces::kLast - 1).shared());
}

class VainStepsTest : public ::testing::Test {
 protected:
  VainStepsTest() {
    lists_.suppose(0, 0.5F);
    lists_.suppose(1, 0.25F);
    lists_.suppose(2, 0.75F);
  }
  void learn(size_t step, const ScalePlaces& why) {
    for (int n = 0; n < kUntilItRemembers; ++n) vain_.add(step, why);
  }
  static ScaleProblem four_tensors() {
    ScaleProblem p;
    p.anchors.resize(4);
    return p;
  }
  const ScaleProblem problem_ = four_tensors();
  const std::vector<size_t> tensors_{0, 1, 2, 3};
  ScaleIndex index_{problem_};
  ScaleLists lists_{index_};
  VainSteps vain_{tensors_, lists_};
};

TEST_F(VainStepsTest, OnlyTheScalesThatToldItAreAsked) {
  const ScalePlaces why(1);
  learn(2, why);
  ASSERT_NE(vain_.find(2), nullptr);
  EXPECT_EQ(*vain_.find(2), why);
  EXPECT_EQ(vain_.find(1), nullptr);
  lists_.suppose(0, 0.125F);
  EXPECT_NE(vain_.find(2), nullptr);
  lists_.suppose(1, 0.125F);
  EXPECT_EQ(vain_.find(2), nullptr);
  lists_.suppose(1, 0.25F);
  EXPECT_NE(vain_.find(2), nullptr);
  vain_.forget();
  EXPECT_EQ(vain_.find(2), nullptr);
}

// Of small searches nothing is kept, nor where all choices so far told it: they are not met again.
TEST_F(VainStepsTest, WhatIsNotMetAgainIsNotKept) {
  vain_.add(2, ScalePlaces(1));
  EXPECT_EQ(vain_.find(2), nullptr);
  learn(1, ScalePlaces(0).with(ScalePlaces(1)));
  EXPECT_EQ(vain_.find(1), nullptr);
  learn(1, ScalePlaces(0));
  EXPECT_NE(vain_.find(1), nullptr);
}

}  // namespace
}  // namespace edgetwin::edgetpu

#include "train/math/functions.h"

#include <gtest/gtest.h>

#include <cmath>

#include "train/math/random.h"

namespace edgetwin::train {
namespace {

TEST(TrainFunctions, AreThoseOfTheLibraryInSinglePrecision) {
  Random random(1, Purpose::weights);
  for (int i = 0; i < 20000; ++i) {
    const double x = (static_cast<double>(random.uniform()) - 0.5) * 80;
    EXPECT_NEAR(exponential(x) / std::exp(x), 1, 1e-14) << x;
    EXPECT_NEAR(cosine(x), std::cos(x), 1e-14) << x;
    EXPECT_NEAR(hyperbolic_tangent(x), std::tanh(x), 1e-12) << x;
    const double positive = std::exp(x);
    EXPECT_NEAR(logarithm(positive), std::log(positive), 1e-14 * std::max(1.0, std::abs(x))) << x;
  }
}

TEST(TrainFunctions, HaveTheirLimits) {
  EXPECT_EQ(exponential(0), 1);
  EXPECT_EQ(exponential(-800), 0);
  EXPECT_TRUE(std::isinf(exponential(800)));
  EXPECT_TRUE(std::isinf(logarithm(0)));
  EXPECT_TRUE(std::isnan(logarithm(-1)));
  EXPECT_EQ(logarithm(1), 0);
  EXPECT_EQ(power(0, 0), 1);
  EXPECT_EQ(power(0, 3), 0);
  EXPECT_NEAR(power(2, 10), 1024, 1e-9);
  EXPECT_EQ(logistic(0), 0.5);
}

TEST(TrainRandom, DependsOnSeedPurposeAndIndices) {
  const auto first = [](uint64_t seed, Purpose purpose, uint64_t a, uint64_t b) {
    return Random(seed, purpose, a, b).next();
  };
  const uint64_t base = first(1, Purpose::weights, 2, 3);
  EXPECT_EQ(first(1, Purpose::weights, 2, 3), base);
  EXPECT_NE(first(2, Purpose::weights, 2, 3), base);
  EXPECT_NE(first(1, Purpose::permutation, 2, 3), base);
  EXPECT_NE(first(1, Purpose::weights, 3, 3), base);
  EXPECT_NE(first(1, Purpose::weights, 2, 2), base);
}

TEST(TrainRandom, ShufflesToAPermutation) {
  std::vector<int> values(1000);
  for (size_t i = 0; i < values.size(); ++i) values[i] = static_cast<int>(i);
  std::vector<int> shuffled = values;
  Random random(7, Purpose::permutation);
  random.shuffle(shuffled);
  EXPECT_NE(shuffled, values);
  std::sort(shuffled.begin(), shuffled.end());
  EXPECT_EQ(shuffled, values);
}

}  // namespace
}  // namespace edgetwin::train

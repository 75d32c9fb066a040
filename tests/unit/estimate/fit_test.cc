#include "estimate/fit/fit.h"

#include <gtest/gtest.h>

#include "estimate/numbers.h"

namespace edgetwin::estimates {
namespace {

TEST(EstimateFit, FindsWhatTheTimesWereMadeOf) {
  std::vector<FitRow> rows;
  for (const auto& [a, b] : {std::pair{1.0, 9.0}, {5.0, 2.0}, {3.0, 3.0}}) {
    rows.push_back({"", std::to_string(a), {a, b}, 0.5, 2.0 * a + 3.0 * b + 0.5});
  }
  const FitResult r = fit(rows, {1.0, 1.0}, 0.0);
  EXPECT_NEAR(r.numbers[0], 2.0, 1e-6);
  EXPECT_NEAR(r.numbers[1], 3.0, 1e-6);
  EXPECT_LT(largest_absolute(r.residual), 1e-6);
  EXPECT_LT(largest_absolute(r.left_out), 1e-6);
}

TEST(EstimateNumbers, HaveThreeDigits) {
  EXPECT_EQ(number_text(3.8456), "3.85");
  EXPECT_EQ(number_text(12.0), "12");
  EXPECT_EQ(number_text(0.0123456), "0.0123");
  EXPECT_EQ(number_text(0.0), "0");
  EXPECT_EQ(rounded(3.8456), 3.85);
}

}  // namespace
}  // namespace edgetwin::estimates

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>

#include "report/measure.h"
#include "report/tensor_stats.h"

namespace edgetwin::report {
namespace {

TEST(TensorStats, CountsSaturatedElementsOfQuantizedTensors) {
  Tensor t = Tensor::zeros(DType::int8, {4}).value();
  const std::vector<int8_t> values = {-128, 127, 127, 0};
  std::copy(values.begin(), values.end(), t.as<int8_t>().begin());
  EXPECT_EQ(tensor_stats(t).at_low, -1);
  t.quant = Quant::affine(1.0F, 0);
  const TensorStats s = tensor_stats(t);
  EXPECT_EQ(s.at_low, 1);
  EXPECT_EQ(s.at_high, 2);
  EXPECT_EQ(saturated_share(s), 0.75);
  EXPECT_EQ(s.histogram.front(), 1);
  EXPECT_EQ(s.histogram[32], 1);
  EXPECT_EQ(s.histogram.back(), 2);
}

TEST(TensorStats, ValuesThatAreNotFiniteStandApart) {
  Tensor t = Tensor::zeros(DType::float32, {3}).value();
  t.as<float>()[0] = std::numeric_limits<float>::quiet_NaN();
  t.as<float>()[1] = 2.0F;
  t.as<float>()[2] = 4.0F;
  const TensorStats s = tensor_stats(t);
  EXPECT_EQ(s.not_finite, 1);
  EXPECT_EQ(s.min, 2.0);
  EXPECT_EQ(s.mean, 3.0);
  EXPECT_EQ(s.histogram.front() + s.histogram.back(), 2);
}

TEST(TensorStats, EmptyAndConstantTensors) {
  EXPECT_EQ(tensor_stats(Tensor::zeros(DType::int8, {0}).value()).elements, 0);
  const TensorStats s = tensor_stats(Tensor::zeros(DType::float32, {5}).value());
  EXPECT_EQ(s.histogram.front(), 5);
}

TEST(Spread, MedianAndP90) {
  EXPECT_EQ(spread({3.0}).median, 3.0);
  EXPECT_EQ(spread({4.0, 1.0}).median, 2.5);
  const Spread s = spread({10, 9, 8, 7, 6, 5, 4, 3, 2, 1});
  EXPECT_EQ(s.min, 1);
  EXPECT_EQ(s.p90, 9);
  EXPECT_EQ(s.max, 10);
}

}  // namespace
}  // namespace edgetwin::report

#include "quantize/calibration/observer.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/rng.h"

namespace edgetwin::quantize {
namespace {

std::vector<float> bell(size_t count, uint32_t seed) {
  XorShift32 rng(seed);
  std::vector<float> values(count);
  for (float& x : values) {
    float sum = 0.0F;
    for (int i = 0; i < 12; ++i) sum += static_cast<float>(rng.next() >> 8) / 16777216.0F;
    x = sum - 6.0F;
  }
  return values;
}

TEST(Percentile, IsTheSortedElement) {
  for (const size_t n :
       {size_t{1}, size_t{2}, size_t{63}, size_t{9999}, size_t{10001}, size_t{54321}}) {
    std::vector<float> values = bell(n, 7);
    const Percentiles p = percentiles(values);
    std::sort(values.begin(), values.end());
    const auto count = static_cast<double>(n);
    const size_t k = static_cast<size_t>(count * (1.0 - 0.9999)) + 1;
    const size_t m = std::min(static_cast<size_t>(count * 0.9999), n - 1) + 1;
    EXPECT_EQ(p.low, values[k - 1]) << n;
    EXPECT_EQ(p.high, values[m - 1]) << n;
  }
}

TEST(Percentile, EqualValuesAndRisingOnesAreNoSpecialCase) {
  EXPECT_EQ(percentiles(std::vector<float>(30000, 2.0F)).high, 2.0F);
  std::vector<float> rising(30000);
  for (size_t i = 0; i < rising.size(); ++i) rising[i] = static_cast<float>(i);
  EXPECT_EQ(percentiles(rising).high, 29997.0F);
  EXPECT_EQ(percentiles(rising).low, 2.0F);
}

TEST(Percentile, RunsAreAveraged) {
  const RangeStatistics runs[] = {{-1.0F, 4.0F, -1.0F, 3.0F, true},
                                  {-9.0F, 8.0F, -3.0F, 5.0F, true}};
  const Range r = percentile_range(runs, 8);
  EXPECT_EQ(r.low, -2.0F);
  EXPECT_EQ(r.high, 4.0F);
  EXPECT_EQ(r.exponent, exponent_of_range(-2.0F, 4.0F, 8));
}

TEST(Look, SeesWhatIsNotFinite) {
  std::vector<float> values = bell(1000, 3);
  EXPECT_TRUE(observe(values, true).finite);
  values[777] = std::numeric_limits<float>::quiet_NaN();
  EXPECT_FALSE(observe(values, true).finite);
  values[777] = -std::numeric_limits<float>::infinity();
  EXPECT_FALSE(observe(values, false).finite);
}

TEST(Look, SeesTheExtremes) {
  for (size_t n = 1; n < 70; ++n) {
    const std::vector<float> values = bell(n, static_cast<uint32_t>(n));
    const RangeStatistics s = observe(values, false);
    EXPECT_EQ(s.low, *std::min_element(values.begin(), values.end()));
    EXPECT_EQ(s.high, *std::max_element(values.begin(), values.end()));
  }
}

Histogram histogram_of(std::span<const float> values, Method method, int bits) {
  const RangeStatistics s = observe(values, false);
  Histogram h(histogram_bins(method, bits), std::max(-s.low, s.high));
  h.take(values, 1);
  return h;
}

TEST(Mse, SixteenBitsKeepTheRange) {
  const std::vector<float> values = bell(20000, 11);
  const RangeStatistics s = observe(values, false);
  const int whole = exponent_of_range(s.low, s.high, 16);
  EXPECT_EQ(mse_range(histogram_of(values, Method::mse, 16), 16).exponent, whole);
}

// One far value costs the square of its distance once; coarse steps cost all others.
TEST(Mse, CutsOffAFarValueAmongMany) {
  const std::vector<float> values = bell(20000, 11);
  const std::vector<float> far = {60.0F};
  for (const int64_t times : {1, 1000}) {
    Histogram h(histogram_bins(Method::mse, 8), 60.0F);
    h.take(values, times);
    h.take(far, 1);
    const int whole = exponent_of_range(-60.0F, 60.0F, 8);
    const int exponent = mse_range(h, 8).exponent;
    EXPECT_EQ(exponent == whole, times == 1) << times;
  }
}

TEST(Kl, CutsOffOneFarValue) {
  std::vector<float> values = bell(20000, 11);
  values.push_back(60.0F);
  const RangeStatistics s = observe(values, false);
  EXPECT_LT(kl_range(histogram_of(values, Method::kl, 8), 8).exponent,
            exponent_of_range(s.low, s.high, 8));
}

TEST(Kl, AFlatHistogramKeepsAll) {
  std::vector<float> values;
  for (int i = 0; i < 4096; ++i) values.push_back(static_cast<float>(i) + 0.5F);
  const Range r = kl_range(histogram_of(values, Method::kl, 8), 8);
  EXPECT_NEAR(r.high, 4095.5F, 1.0F);
  EXPECT_EQ(r.exponent, 5);
}

TEST(Histogram, CountsTimesAndEnds) {
  Histogram h(4, 1.0F);
  h.take(std::vector<float>{0.0F, -0.3F, 0.99F, 1.0F}, 3);
  EXPECT_EQ(std::vector<int64_t>(h.counts().begin(), h.counts().end()),
            (std::vector<int64_t>{3, 3, 0, 6}));
}

}  // namespace
}  // namespace edgetwin::quantize

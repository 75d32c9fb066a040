#include "quantize/calibration/exponent.h"

#include <cstring>
#include <limits>

namespace edgetwin::quantize {
namespace {

using numerics::Rounding;

TEST(Exponent, RangesRoundUp) {
  // absmax / 127.5 is just above 2^-7 for 1, and just below for 0.996.
  EXPECT_EQ(exponent_of_range(-1.0F, 1.0F, 8), -6);
  EXPECT_EQ(exponent_of_range(0.0F, 0.996F, 8), -7);
  EXPECT_EQ(exponent_of_range(-127.5F, 0.0F, 8), 0);
  EXPECT_EQ(exponent_of_range(0.0F, 127.6F, 8), 1);
  EXPECT_EQ(exponent_of_range(-1.0F, 1.0F, 16), -14);
}

TEST(Exponent, NearestRoundsTheLogarithm) {
  EXPECT_EQ(exponent_of(0.011, ScaleRounding::nearest), -7);
  EXPECT_EQ(exponent_of(0.0125, ScaleRounding::nearest), -6);
  EXPECT_EQ(exponent_of(0.011, ScaleRounding::ceil), -6);
}

TEST(Exponent, NothingSeenHasTheLowestScale) { EXPECT_EQ(exponent_of_range(0.0F, 0.0F, 8), -26); }

TEST(Integers, TiesGoByTarget) {
  const IntegerSpec even{8, Rounding::half_even, false};
  const IntegerSpec up{8, Rounding::half_up, false};
  EXPECT_EQ(to_integer(2.5F, 0, even), 2);
  EXPECT_EQ(to_integer(2.5F, 0, up), 3);
  EXPECT_EQ(to_integer(-2.5F, 0, even), -2);
  EXPECT_EQ(to_integer(-2.5F, 0, up), -2);
  EXPECT_EQ(to_integer(-3.5F, 0, even), -4);
  EXPECT_EQ(to_integer(-3.5F, 0, up), -3);
}

TEST(Integers, SaturateAtTheirWidth) {
  for (const int bits : {8, 16, 20, 32, 40, 64}) {
    const IntegerSpec spec{bits, Rounding::half_even, false};
    const int64_t high =
        bits == 64 ? std::numeric_limits<int64_t>::max() : (int64_t{1} << (bits - 1)) - 1;
    EXPECT_EQ(to_integer(1e30F, 0, spec), high) << bits;
    EXPECT_EQ(to_integer(-1e30F, 0, spec), -high - 1) << bits;
  }
  EXPECT_EQ(storage_type(20), DType::int32);
  EXPECT_EQ(storage_type(40), DType::int64);
}

TEST(Integers, HighPrecisionKeepsWhatFloatAddsUp) {
  // 2^23 + 1 plus a half is a tie of float32, which goes to the even neighbour.
  const float x = 8388609.0F;
  EXPECT_EQ(to_integer(x, 0, {40, Rounding::half_up, false}), 8388610);
  EXPECT_EQ(to_integer(x, 0, {40, Rounding::half_up, true}), 8388609);
}

TEST(Integers, OneExponentPerChannel) {
  const float values[] = {1.0F, 1.0F, 1.0F, 1.0F};
  const int exponents[] = {-1, -2};
  const Bytes bytes = to_integers(values, exponents, 2, {8, Rounding::half_even, false});
  const std::vector<int8_t> wanted = {2, 2, 4, 4};
  ASSERT_EQ(bytes.size(), 4U);
  EXPECT_EQ(std::memcmp(bytes.data(), wanted.data(), 4), 0);
}

TEST(Integers, FakeQuantizationIsBoth) {
  std::vector<float> values = {0.3F, -1.0F, 5.0F};
  const int exponents[] = {-5};
  fake_quantize(values, exponents, 3, {8, Rounding::half_even, false});
  EXPECT_EQ(values, (std::vector<float>{0.3125F, -1.0F, 3.96875F}));
}

}  // namespace
}  // namespace edgetwin::quantize

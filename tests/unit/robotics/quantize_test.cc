#include "robotics/quantize.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "robotics/tools.h"

namespace edgetwin::robotics {
namespace {

using testing::code_of;

TEST(ModulesQuantize, RoundsHalfToEvenAndLimits) {
  const std::vector<float> v = {0.5F, 1.5F, 2.5F, -3.0F, 300.0F, 254.5F, 255.49F};
  const auto q = quantize_uint8(v, 1.0F, 0);
  ASSERT_TRUE(q.ok());
  const std::vector<int> wanted = {0, 2, 2, 0, 255, 254, 255};
  for (size_t i = 0; i < wanted.size(); ++i) EXPECT_EQ(static_cast<int>((*q)[i]), wanted[i]) << i;
  const std::vector<float> s = {-0.5F, -1.5F, -200.0F, 200.0F, 127.4F, -128.5F};
  const auto i8 = quantize_int8(s, 1.0F);
  ASSERT_TRUE(i8.ok());
  EXPECT_EQ(*i8, (std::vector<int8_t>{0, -2, -128, 127, 127, -128}));
}

TEST(ModulesQuantize, EveryByteSurvivesTheRoundTrip) {
  Bytes all(256);
  for (size_t i = 0; i < all.size(); ++i) all[i] = static_cast<std::byte>(i);
  for (const float scale : {1.0F / 255.0F, 0.0078431377F, 0.25F, 31.625F}) {
    for (const int zero : {0, 127, 129, 255}) {
      EXPECT_EQ(*quantize_uint8(dequantize(all, scale, zero), scale, zero), all);
    }
  }
}

TEST(ModulesQuantize, AgreesWithTheDefinitionEverywhere) {
  std::vector<float> v;
  for (int i = -3000; i <= 3000; ++i) v.push_back(static_cast<float>(i) * 0.0931F);
  const auto q = quantize_int8(v, 0.37F, 5);
  ASSERT_TRUE(q.ok());
  for (size_t i = 0; i < v.size(); ++i) {
    const float wanted = std::min(127.0F, std::max(-128.0F, std::nearbyint(v[i] / 0.37F + 5.0F)));
    EXPECT_EQ(static_cast<float>((*q)[i]), wanted) << v[i];
  }
}

TEST(ModulesQuantize, RefusesBadScalesAndNumbers) {
  const std::vector<float> v = {1.0F};
  EXPECT_EQ(code_of(quantize_uint8(v, -1.0F, 0)), ErrorCode::module_input);
  EXPECT_EQ(code_of(quantize_int8(v, std::nanf(""))), ErrorCode::module_input);
  const std::vector<float> bad = {0.0F, std::numeric_limits<float>::infinity()};
  EXPECT_EQ(code_of(quantize_int8(bad, 1.0F)), ErrorCode::module_input);
  // A scale of 0 counts as the least one.
  EXPECT_EQ(static_cast<int>((*quantize_uint8(v, 0.0F, 0))[0]), 255);
}

}  // namespace
}  // namespace edgetwin::robotics

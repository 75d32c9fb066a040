#include "targets/edgetpu/machine/lanes/byte_tail.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <limits>
#include <random>

namespace edgetwin::edgetpu::machine {
namespace {

ByteTail byte_tail(float low, float high, int32_t zero) {
  ByteTail tail;
  tail.clamp = {low, high};
  tail.zero = zero;
  return tail;
}

// Sums of all sizes, ties among them, with multipliers that leave the limits on both sides.
TEST(ByteTail, AllLanesAreThoseOfTheTail) {
  std::mt19937 random(12);
  for (int round = 0; round < 2000; ++round) {
    const auto zero = static_cast<int32_t>(random() % 256);
    const ByteTail tail =
        byte_tail(static_cast<float>(-zero) - 0.25F * static_cast<float>(round % 3),
                  static_cast<float>(255 - zero), zero);
    ASSERT_TRUE(has_byte_limits(tail));
    std::array<int32_t, 64> sums;
    std::array<float, 64> m;
    const auto lanes = static_cast<int>(1 + random() % 64);
    for (size_t l = 0; l < 64; ++l) {
      sums[l] = static_cast<int32_t>(random()) >> (random() % 32);
      m[l] = round % 2 == 0 ? 0.5F
                            : std::ldexp(static_cast<float>(random() % 4096),
                                         -12 - static_cast<int>(random() % 20));
    }
    sums[0] =
        round % 2 == 0 ? std::numeric_limits<int32_t>::min() : std::numeric_limits<int32_t>::max();
    std::array<uint8_t, 64> made{};
    bytes_of_sums(tail, sums.data(), m.data(), lanes, made.data());
    for (size_t l = 0; l < static_cast<size_t>(lanes); ++l) {
      ASSERT_EQ(made[l], tail(sums[l], m[l])) << sums[l] << " * " << m[l] << ", zero " << zero;
    }
  }
}

// Without limits: what is beyond 2^22 is beyond a byte.
TEST(ByteTail, NoLimitsAreLimitsBeyondAByte) {
  constexpr float kNone = std::numeric_limits<float>::infinity();
  std::mt19937 random(13);
  const ByteTail free = byte_tail(-kNone, kNone, 7);
  ASSERT_FALSE(has_byte_limits(free));
  const ByteTail tail = with_byte_limits(free);
  ASSERT_TRUE(has_byte_limits(tail));
  for (int round = 0; round < 20000; ++round) {
    const int32_t sum = static_cast<int32_t>(random() & 0xBFFFFFFF) >> (random() % 32);
    const float m = round % 2 == 0 ? 1.0F : 0.37F;
    uint8_t made = 0;
    bytes_of_sums(tail, &sum, &m, 1, &made);
    ASSERT_EQ(made, free(sum, m)) << sum << " * " << m;
  }
}

TEST(ByteTail, OtherLastStepsAreNotItsOwn) {
  EXPECT_FALSE(has_byte_limits(byte_tail(-8388608.0F, 10.0F, 0)));
  EXPECT_FALSE(has_byte_limits(byte_tail(0.0F, std::numeric_limits<float>::infinity(), 0)));
  EXPECT_FALSE(has_byte_limits(byte_tail(0.0F, std::numeric_limits<float>::quiet_NaN(), 0)));
  ByteTail other = byte_tail(0.0F, 255.0F, 0);
  EXPECT_TRUE(has_byte_limits(other));
  other.options.zero_point_first = true;
  EXPECT_FALSE(has_byte_limits(other));
  other.options = {};
  other.options.truncate_large = true;
  EXPECT_FALSE(has_byte_limits(other));
}

}  // namespace
}  // namespace edgetwin::edgetpu::machine

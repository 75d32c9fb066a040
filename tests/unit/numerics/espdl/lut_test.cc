// Look-up of ESP-DL. Source: specification of the runtime 5.4 to 5.6.
#include <gtest/gtest.h>

#include <vector>

#include "base/rng.h"
#include "numerics/lut.h"

namespace edgetwin::numerics {
namespace {

std::vector<int16_t> random_table(int64_t entries, uint32_t seed) {
  XorShift32 random(seed);
  std::vector<int16_t> table;
  for (int64_t i = 0; i < entries; ++i) table.push_back(static_cast<int16_t>(random.next() >> 16));
  return table;
}

TEST(Lut, StepAndEntries) {
  EXPECT_EQ(lut_step(2049), 32);
  EXPECT_EQ(lut_step(257), 256);
  EXPECT_EQ(lut_step(65536), 1);
  EXPECT_EQ(lut_step(65537), 1);
  EXPECT_EQ(lut_step(2048), 32);  // right by luck
  EXPECT_EQ(lut_step(256), 257);  // wrong everywhere
  EXPECT_EQ(lut_step(657), 99);   // written with a step of 100
  for (int step = 2; step <= 65536; ++step) {
    // The last input must find its own entry and the next.
    const int64_t last = 65535 / step;
    ASSERT_EQ(lut_entries(step), last + 2) << step;
  }
  EXPECT_EQ(lut_entries(1), 65536);
  EXPECT_TRUE(lut_step_is_power_of_two(256));
  EXPECT_FALSE(lut_step_is_power_of_two(257));
}

TEST(Lut, EightBits) {
  std::vector<int8_t> table(256);
  for (int i = 0; i < 256; ++i) table[static_cast<size_t>(i)] = static_cast<int8_t>(i ^ 0x5A);
  for (int x = -128; x < 128; ++x) {
    EXPECT_EQ(lut8(table.data(), static_cast<int8_t>(x)), static_cast<int8_t>((x + 128) ^ 0x5A));
  }
}

TEST(Lut, InterpolationTruncatesTowardZero) {
  const std::vector<int16_t> table = {0, 10, -10, 0, 0};
  // Step 16384: a quarter of the way back from 10 to -10 and so on.
  EXPECT_EQ(lut16_interpolate(table.data(), 16384, -32768), 0);
  EXPECT_EQ(lut16_interpolate(table.data(), 16384, static_cast<int16_t>(-32768 + 3000)), 1);
  EXPECT_EQ(lut16_interpolate(table.data(), 16384, static_cast<int16_t>(-16384 + 3000)), 7);
  EXPECT_EQ(lut16_interpolate(table.data(), 16384, -1), -9);  // 10 - trunc(19.998)
}

TEST(Lut, AllInputsOfAllSteps) {
  for (int sh = 1; sh <= 15; ++sh) {
    const int step = 1 << sh;
    const auto table = random_table(65536 / step + 1, static_cast<uint32_t>(sh));
    for (int x = -32768; x < 32768; ++x) {
      const int64_t u = x + 32768;
      const auto i = static_cast<size_t>(u / step);
      const int64_t r = u % step;
      const int64_t between = table[i] + r * (table[i + 1] - table[i]) / step;
      const size_t up = r * 2 >= step ? i + 1 : i;
      const size_t even = r * 2 > step || (r * 2 == step && i % 2 == 1) ? i + 1 : i;
      const auto q = static_cast<int16_t>(x);
      ASSERT_EQ(lut16_interpolate(table.data(), step, q), between) << step << " " << x;
      ASSERT_EQ(lut16_nearest(table.data(), step, q, Rounding::half_up), table[up]);
      ASSERT_EQ(lut16_nearest(table.data(), step, q, Rounding::half_even), table[even]);
    }
  }
}

TEST(Lut, FullTables) {
  const auto table = random_table(65536, 7);
  for (int x = -32768; x < 32768; ++x) {
    const auto q = static_cast<int16_t>(x);
    const int16_t wanted = table[static_cast<size_t>(x + 32768)];
    ASSERT_EQ(lut16_interpolate(table.data(), 1, q), wanted);
    ASSERT_EQ(lut16_nearest(table.data(), 1, q, Rounding::half_even), wanted);
  }
}

// Two entries only: the runtime's 32 bits overflow, which is no fault here.
TEST(Lut, TheShortestTable) {
  const std::vector<int16_t> table = {-32768, 32767};
  EXPECT_EQ(lut16_interpolate(table.data(), 65536, -32768), -32768);
  const auto wrapped = static_cast<int32_t>(65535U * 65535U);
  EXPECT_EQ(lut16_interpolate(table.data(), 65536, 32767),
            static_cast<int16_t>(-32768 + wrapped / 65536));
}

}  // namespace
}  // namespace edgetwin::numerics

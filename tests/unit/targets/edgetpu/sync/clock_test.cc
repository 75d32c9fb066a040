#include "targets/edgetpu/sync/clock.h"

#include <gtest/gtest.h>

namespace edgetwin::edgetpu::sync {
namespace {

Stamp at(int64_t time) { return {nullptr, time}; }

TEST(EdgetpuSyncCounter, ComparesInSixteenBits) {
  CounterLine c;
  EXPECT_TRUE(c.reached(0));
  EXPECT_TRUE(c.reached(-64));
  EXPECT_FALSE(c.reached(1));
  c.raise(40'000, at(1));
  EXPECT_TRUE(c.reached(40'000 - 65'536));
  EXPECT_FALSE(c.reached(40'001));
  c.raise(30'000, at(2));  // beyond 65,536
  EXPECT_TRUE(c.reached(70'000 - 65'536));
  EXPECT_FALSE(c.reached(70'001 - 65'536));
}

TEST(EdgetpuSyncCounter, KnowsWhatMadeItReachAThreshold) {
  CounterLine c;
  c.restart(0, at(5));
  c.raise(2, at(10));
  c.raise(3, at(20));
  EXPECT_EQ(c.when(-7).time, 5);
  EXPECT_EQ(c.when(2).time, 10);
  EXPECT_EQ(c.when(3).time, 20);
  EXPECT_EQ(c.when(5).time, 20);
  c.set(0, at(30));
  EXPECT_EQ(c.value(), 0);
  EXPECT_EQ(c.when(0).time, 30);
  c.set(9, at(40));  // evening out
  EXPECT_EQ(c.value(), 9);
}

TEST(EdgetpuSyncCounter, TilesCountTheRingFromTheirOwnBase) {
  CounterLine c;
  c.raise(12, at(1));
  EXPECT_FALSE(c.reached(3, 10));
  EXPECT_TRUE(c.reached(2, 10));
}

}  // namespace
}  // namespace edgetwin::edgetpu::sync

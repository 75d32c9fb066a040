#include "targets/edgetpu/sync/clock.h"

#include <gtest/gtest.h>

#include <array>
#include <vector>

#include "base/rng.h"

namespace edgetwin::edgetpu::sync {
namespace {

Stamp at(int64_t time) { return {std::nullopt, time}; }

// Beside plain arrays of all lanes: parts of random lanes, and what they learn of each other, often
// by clocks as they were some time before.
TEST(EdgetpuSyncClock, KnowsWhatPlainArraysKnow) {
  using Plain = std::array<uint32_t, kLanes>;
  XorShift32 random(5);
  std::vector<Clock> clocks;
  for (size_t k = 0; k < kLanes; ++k) clocks.emplace_back(k / kTileLanes);
  std::vector<Plain> plain(kLanes, Plain{});
  std::vector<Clock> kept = clocks;
  std::vector<Plain> kept_plain = plain;
  for (int n = 0; n < 20'000; ++n) {
    const size_t lane = random.next() % kLanes;
    // Of its own tile mostly.
    const size_t near = lane / kTileLanes * kTileLanes + random.next() % kTileLanes;
    const size_t other = random.next() % 8 == 0 || near >= kLanes ? random.next() % kLanes : near;
    if (random.next() % 2 == 0) {
      clocks[lane].count(lane);
      ++plain[lane][lane];
    }
    const bool old = random.next() % 2 == 0;
    clocks[lane].join(old ? kept[other] : clocks[other]);
    const Plain& from = old ? kept_plain[other] : plain[other];
    for (size_t k = 0; k < kLanes; ++k) plain[lane][k] = std::max(plain[lane][k], from[k]);
    if (random.next() % 4 == 0) {
      kept[lane] = clocks[lane];
      kept_plain[lane] = plain[lane];
    }
    for (size_t k = 0; k < kLanes; ++k) ASSERT_EQ(clocks[lane][k], plain[lane][k]) << n;
    ASSERT_EQ(clocks[lane].block(other / kTileLanes)[0],
              plain[lane][other / kTileLanes * kTileLanes]);
  }
  for (size_t lane = 0; lane < kLanes; ++lane) {
    for (size_t k = 0; k < kLanes; ++k) ASSERT_EQ(kept[lane][k], kept_plain[lane][k]);
  }
}

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

#include "targets/edgetpu/sync/passes.h"

#include <gmock/gmock.h>

namespace edgetwin::edgetpu::sync {
namespace {

using ::testing::ElementsAre;

// 4 places, 3 times, twice; `shorter` places in the last of the three.
Generator rows(int64_t shorter) {
  Generator g;
  g.path.size = 3;
  g.path.level[0] = {1, 4, 1};
  g.path.level[1] = {1, 3, 4};
  g.path.level[2] = {1, 2, 12};
  if (shorter != 0) {
    g.short_level = 1;
    g.short_count = shorter;
  }
  return g;
}

TEST(EdgetpuSyncPasses, LevelsEndWhereTheirPlacesDo) {
  EXPECT_THAT(passes_of(rows(0), 1).end, ElementsAre(4, 8, 12, 16, 20, 24));
  EXPECT_THAT(passes_of(rows(0), 2).end, ElementsAre(12, 24));
  EXPECT_THAT(passes_of(rows(0), 3).end, ElementsAre(24));
  EXPECT_THAT(passes_of(rows(1), 1).end, ElementsAre(4, 8, 9, 13, 17, 18));
  EXPECT_TRUE(passes_of(rows(0), 0).single);
}

TEST(EdgetpuSyncPasses, PartsEndAtWaitsAndCounts) {
  Watcher w;
  w.counter = TileCounter::avdata;
  w.level = 2;
  w.start = 5;
  w.step = 3;
  CountProducer p;
  p.counter = TileCounter::n_in;
  p.level = 1;
  SidePlan side;
  make_parts({{w, passes_of(rows(0), 2)}}, {{p, passes_of(rows(0), 1)}}, 24, Grain(), side);
  EXPECT_THAT(side.end, ElementsAre(4, 8, 12, 16, 20, 24));
  ASSERT_EQ(side.needs.size(), 2U);
  EXPECT_EQ(side.needs[0].threshold, 5);
  EXPECT_EQ(side.needs[1].threshold, 8);
  EXPECT_EQ(side.need_at[3], 1U);  // the second pass begins with the fourth part
  EXPECT_EQ(side.need_at[4], 2U);
  EXPECT_EQ(side.counts.size(), 6U);
}

TEST(EdgetpuSyncPasses, WhereEveryPlaceWaitsEachIsAPart) {
  Watcher w;
  w.level = 0;
  w.start = -1;
  w.step = 1;
  SidePlan side;
  make_parts({{w, passes_of(rows(0), 0)}}, {}, 24, Grain(), side);
  EXPECT_EQ(side.parts(), 24U);
  EXPECT_EQ(side.needs.back().threshold, 22);
  SidePlan coarse;
  make_parts({{w, passes_of(rows(0), 0)}}, {}, 24, {16, 16}, coarse);
  EXPECT_THAT(coarse.end, ElementsAre(16, 24));
  EXPECT_EQ(coarse.needs[0].threshold, 14);
}

}  // namespace
}  // namespace edgetwin::edgetpu::sync

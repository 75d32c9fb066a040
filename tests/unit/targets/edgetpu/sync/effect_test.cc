#include "targets/edgetpu/sync/effect.h"

#include <gtest/gtest.h>

namespace edgetwin::edgetpu::sync {
namespace {

struct Ends {
  std::vector<uint32_t> at;
  std::vector<int32_t> thresholds;  // by part; of AVDATA
  std::vector<uint32_t> counts;     // by part; of N_IN
};

StepPlan plan_of(const Ends& e) {
  StepPlan plan;
  SidePlan& side = plan.side[0];
  side.end = e.at;
  for (size_t k = 0; k < e.at.size(); ++k) {
    side.need_at.push_back(static_cast<uint32_t>(side.needs.size()));
    side.count_at.push_back(static_cast<uint32_t>(side.counts.size()));
    side.needs.push_back({TileCounter::avdata, e.thresholds[k]});
    if (e.counts[k] != 0) side.counts.push_back({TileCounter::n_in, e.counts[k]});
  }
  side.need_at.push_back(static_cast<uint32_t>(side.needs.size()));
  side.count_at.push_back(static_cast<uint32_t>(side.counts.size()));
  for (SidePlan* s : {&plan.side[1]}) {
    s->need_at = {0};
    s->count_at = {0};
  }
  return plan;
}

TEST(EdgetpuSyncEffect, OtherPartsWithTheSameCurvesChangeNothing) {
  const StepPlan whole = plan_of({{8}, {3}, {2}});
  const StepPlan cut = plan_of({{4, 8}, {3, 3}, {0, 2}});
  EXPECT_EQ(effect_of(whole, cut), Effect::none);
}

TEST(EdgetpuSyncEffect, AskingForMoreOrCountingLessIsOnlyLater) {
  const StepPlan before = plan_of({{4, 8}, {3, 5}, {1, 1}});
  EXPECT_EQ(effect_of(before, plan_of({{4, 8}, {3, 6}, {1, 1}})), Effect::later);
  EXPECT_EQ(effect_of(before, plan_of({{4, 8}, {3, 5}, {0, 1}})), Effect::later);
  EXPECT_EQ(effect_of(before, plan_of({{4, 8}, {3, 5}, {0, 2}})), Effect::later);
}

TEST(EdgetpuSyncEffect, AskingForLessOrCountingMoreMayMatter) {
  const StepPlan before = plan_of({{4, 8}, {3, 5}, {1, 1}});
  EXPECT_EQ(effect_of(before, plan_of({{4, 8}, {2, 5}, {1, 1}})), Effect::other);
  EXPECT_EQ(effect_of(before, plan_of({{4, 8}, {3, 5}, {2, 1}})), Effect::other);
  // Later at one place does not make up for sooner at another.
  EXPECT_EQ(effect_of(before, plan_of({{4, 8}, {2, 9}, {1, 1}})), Effect::other);
}

}  // namespace
}  // namespace edgetwin::edgetpu::sync

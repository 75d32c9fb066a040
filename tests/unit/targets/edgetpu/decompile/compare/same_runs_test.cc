#include "targets/edgetpu/decompile/compare/same_runs.h"

#include <gtest/gtest.h>

#include "unit/targets/edgetpu/compile/family_networks.h"

namespace edgetwin::edgetpu {
namespace {

Graph with_scale(float scale) {
  FamilyNetwork net(Trained::any, 3);
  const ValueId at = net.conv(net.input(6, 6, 4), 8, 3);
  net.rescaled(at, scale);
  return net.finish(at);
}

TEST(EdgetpuSameRuns, SayHowManyBytesAreOthers) {
  const auto same = same_runs(with_scale(0.02F), with_scale(0.02F), 3);
  ASSERT_TRUE(same.ok()) << to_text(same.error());
  EXPECT_EQ(same->equal, 3u);
  EXPECT_EQ(same->bytes, 3u * 6 * 6 * 8);
  EXPECT_EQ(same->different, 0u);
  const auto other = same_runs(with_scale(0.02F), with_scale(0.03F), 3);
  ASSERT_TRUE(other.ok()) << to_text(other.error());
  EXPECT_EQ(other->equal, 0u);
  EXPECT_GT(other->different, 0u);
}

TEST(EdgetpuSameRuns, NetworksOfAnotherFormAreNeverEqual) {
  FamilyNetwork net(Trained::any, 3);
  const ValueId a = net.input(6, 6, 4);
  const Graph two = net.finish(net.sum(a, net.input(6, 6, 4)));
  const auto runs = same_runs(two, with_scale(0.02F), 2);
  ASSERT_TRUE(runs.ok()) << to_text(runs.error());
  EXPECT_EQ(runs->equal, 0u);
}

}  // namespace
}  // namespace edgetwin::edgetpu

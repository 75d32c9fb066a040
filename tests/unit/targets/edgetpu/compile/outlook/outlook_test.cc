#include "targets/edgetpu/compile/outlook/outlook.h"

#include <gtest/gtest.h>

#include "unit/targets/edgetpu/compile/random_networks.h"

namespace edgetwin::edgetpu::compiler {
namespace {

size_t operators_on_chip(const Partition& p) {
  size_t n = 0;
  for (const Assignment& a : p.ops) n += a.group >= 0 ? 1U : 0U;
  return n;
}

TEST(EdgetpuOutlook, TheLargestPictureFitsAndOneRowMoreDoesNot) {
  size_t checked = 0;
  for (uint32_t seed = 10; seed < 16; ++seed) {
    const Graph graph = RandomNetwork(seed).any();
    const Partition now = partition_of(graph);
    const auto largest = largest_input(graph, now);
    if (!largest || largest->most_rows <= largest->rows) continue;
    const auto made = with_picture(graph, largest->most_rows, largest->most_columns);
    ASSERT_TRUE(made.ok()) << seed << ": " << to_text(made.error());
    EXPECT_GE(operators_on_chip(partition_of(*made)), operators_on_chip(now)) << seed;
    EXPECT_TRUE(largest->most_rows >= 4096 || !largest->limit.empty()) << seed;
    ++checked;
  }
  EXPECT_GT(checked, 0U);
}

TEST(EdgetpuOutlook, EveryOperatorOnTheHostHasOneCause) {
  for (uint32_t seed = 10; seed < 30; ++seed) {
    const Graph graph = RandomNetwork(seed).any();
    const Partition p = partition_of(graph);
    size_t caused = 0;
    double last = -1;
    for (const Cause& c : causes_of(graph, p)) {
      caused += c.ops.size();
      EXPECT_TRUE(last < 0 || c.microseconds <= last) << seed;
      last = c.microseconds;
      for (const size_t op : c.ops) EXPECT_EQ(p.ops[op].refusal->rule, c.rule);
    }
    EXPECT_EQ(caused, graph.ops.size() - operators_on_chip(p)) << seed;
  }
}

TEST(EdgetpuOutlook, TheFullestLayerIsWhatTheGroupTakes) {
  const Graph graph = RandomNetwork(11).any();
  const Partition p = partition_of(graph);
  for (const CompiledGroup& g : p.groups) {
    int64_t most = 0;
    for (const PlannedOp& op : g.compiled.ops) most = std::max(most, op.live_bytes);
    EXPECT_GT(most, 0);
    EXPECT_LE(most, g.compiled.narrow_bytes);
  }
}

TEST(EdgetpuOutlook, BarsEndAtTheLimit) {
  const plot::Drawing d = memory_picture({{"#0 CONV_2D 'a'", 1000, 196'608}});
  ASSERT_EQ(d.rects.size(), 2U);
  EXPECT_DOUBLE_EQ(d.rects[0].at.right, d.lines[0].from.x);
  EXPECT_LT(d.rects[1].at.right, d.rects[0].at.right);
}

}  // namespace
}  // namespace edgetwin::edgetpu::compiler

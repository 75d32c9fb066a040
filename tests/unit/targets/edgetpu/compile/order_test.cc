#include "targets/edgetpu/compile/order.h"

#include <gtest/gtest.h>

#include "targets/edgetpu/compile/compile.h"
#include "unit/targets/edgetpu/compile/random_networks.h"

namespace edgetwin::edgetpu::compiler {
namespace {

// Operators as (what they read, what they make); values are numbered as they come.
Graph graph_of(const std::vector<std::pair<std::vector<ValueId>, ValueId>>& ops) {
  Graph g;
  g.name = "main";
  for (const auto& [inputs, output] : ops) {
    while (g.values.size() <= static_cast<size_t>(output)) g.values.emplace_back();
    Op op;
    op.kind = OpKind::relu;
    op.inputs = inputs;
    op.outputs = {output};
    g.ops.push_back(op);
  }
  return g;
}

using Order = std::vector<size_t>;
constexpr Side kChip = Side::chip, kHost = Side::host, kEither = Side::either;

TEST(EdgetpuOrder, HostThatNothingWaitsForComesLast) {
  const Graph g = graph_of({{{0}, 1}, {{1}, 2}, {{1}, 3}, {{3}, 4}});
  EXPECT_EQ(order_by_side(g, {kChip, kHost, kChip, kChip}), (Order{0, 2, 3, 1}));
}

TEST(EdgetpuOrder, HostThatReadsTheInputComesFirst) {
  const Graph g = graph_of({{{0}, 1}, {{0}, 2}, {{1, 2}, 3}});
  EXPECT_EQ(order_by_side(g, {kChip, kHost, kChip}), (Order{1, 0, 2}));
}

TEST(EdgetpuOrder, AChainKeepsTheOrderOfTheFile) {
  const Graph g = graph_of({{{0}, 1}, {{1}, 2}, {{2}, 3}});
  EXPECT_EQ(order_by_side(g, {kChip, kHost, kChip}), order_of_file(g));
}

TEST(EdgetpuOrder, ShapesOfTheHostDoNotSplitTheChip) {
  // The host's chain 1, 2, 3 beside the chip's 0, 4; operator 5 reads both.
  const Graph g = graph_of({{{0}, 1}, {{0}, 2}, {{2}, 3}, {{3}, 4}, {{1}, 5}, {{4, 5}, 6}});
  EXPECT_EQ(order_by_side(g, {kChip, kHost, kEither, kHost, kChip, kChip}),
            (Order{1, 2, 3, 0, 4, 5}));
}

TEST(EdgetpuOrder, OperatorsWithStatesKeepTheirs) {
  // Operators 1 and 2 are not known: 2 may need what 1 did.
  Graph g = graph_of({{{0}, 1}, {{1}, 2}, {{0}, 3}, {{3}, 4}});
  g.ops[1].kind = g.ops[2].kind = OpKind::opaque;
  const Order order = order_by_side(g, {kChip, kHost, kHost, kChip});
  EXPECT_LT(std::ranges::find(order, 1u) - order.begin(),
            std::ranges::find(order, 2u) - order.begin());
}

TEST(EdgetpuOrder, OneProgramWhereTheHostStoodBetween) {
  RandomNetwork net(7);
  const ValueId in = net.input(8, 8, 4);
  const ValueId first = net.window(in, 8, 3, 1, 1, true, false);
  const ValueId host = net.doubled(first);
  const ValueId last =
      net.window(net.window(first, 8, 3, 1, 1, true, false), 4, 1, 1, 1, true, false);
  Graph graph = net.finish(last);
  graph.outputs.push_back(host);
  ResizeAttrs corners = graph.ops[1].as<ResizeAttrs>();
  corners.half_pixel_centers = false;
  corners.align_corners = true;  // 7 of 15: no parts of 128
  graph.ops[1].attrs = corners;
  Model model;
  model.format = "tflite";
  model.graphs.push_back(graph);
  const auto made = compile_model(model);
  ASSERT_TRUE(made.ok()) << to_text(made.error());
  EXPECT_EQ(made->partition.groups.size(), 1u);
  EXPECT_EQ(made->partition.order, (Order{0, 2, 3, 1}));
  EXPECT_EQ(made->partition.ops[1].group, -1);
  EXPECT_TRUE(verify_graph(made->model.main()).ok());
  EXPECT_EQ(made->model.main().ops.size(), 2u);
}

}  // namespace
}  // namespace edgetwin::edgetpu::compiler

#include "targets/edgetpu/decompile/compare/element_layers.h"

#include <gtest/gtest.h>

#include "unit/targets/edgetpu/compile/family_networks.h"

namespace edgetwin::edgetpu {
namespace {

NetworkLayer last_layer_of(const Graph& graph) { return network_layers(graph).back(); }

TEST(ElementLayers, AProductWithANumberIsTheSameWhicheverComesFirst) {
  FamilyNetwork one(Trained::uint8, 3), two(Trained::uint8, 3);
  const NetworkLayer last =
      last_layer_of(one.finish(one.with_number(one.input(4, 4, 12), OpKind::mul, false)));
  const NetworkLayer first =
      last_layer_of(two.finish(two.with_number(two.input(4, 4, 12), OpKind::mul, true)));
  EXPECT_EQ(last.kind, "MUL");
  EXPECT_EQ(first.in_c, 12);
  EXPECT_EQ(first.in_c, last.in_c);
  EXPECT_EQ(first.weights, last.weights);
  EXPECT_EQ(first.weights.size(), 1U);
  EXPECT_EQ(first.multipliers, last.multipliers);
  EXPECT_EQ(first.zero_points, last.zero_points);
}

TEST(ElementLayers, ANumberForEachChannelIsADepthwiseLayer) {
  FamilyNetwork net(Trained::int8, 3);
  const ValueId in = net.input(4, 4, 12);
  const Graph graph = net.finish(net.times_channels(in));
  const NetworkLayer l = last_layer_of(graph);
  const Value& factors = graph.value(graph.ops[0].inputs[1]);
  EXPECT_EQ(l.kind, "DEPTHWISE_CONV_2D");
  EXPECT_EQ(l.weights.size(), 12U);
  EXPECT_EQ(l.weights[0], (*factors.constant)[0] ^ std::byte{0x80});
  EXPECT_EQ(l.multipliers.size(), 12U);
  ASSERT_EQ(l.zero_points.size(), 3U);
  EXPECT_EQ(l.zero_points[0], graph.value(in).quant.zero_point_of(0) + 128);
  EXPECT_EQ(l.zero_points[1], factors.quant.zero_point_of(0) + 128);
}

TEST(ElementLayers, AMeanIsAPoolOfTheAxesThatItReduces) {
  struct Case {
    std::vector<int32_t> axes;
    int kernel_h, kernel_w;
    int64_t out_h, out_w;
  };
  const Case cases[] = {
      {{1}, 6, 1, 1, 9}, {{2}, 1, 9, 6, 1}, {{1, 2}, 6, 9, 1, 1}, {{2, 1}, 6, 9, 1, 1}};
  for (const Case& c : cases) {
    FamilyNetwork net(Trained::int8, 3);
    const NetworkLayer l = last_layer_of(net.finish(net.mean(net.input(6, 9, 4), c.axes, true)));
    EXPECT_EQ(l.kind, "AVERAGE_POOL_2D");
    EXPECT_EQ(l.kernel_h, c.kernel_h);
    EXPECT_EQ(l.kernel_w, c.kernel_w);
    EXPECT_EQ(l.out_h, c.out_h);
    EXPECT_EQ(l.out_w, c.out_w);
  }
}

}  // namespace
}  // namespace edgetwin::edgetpu

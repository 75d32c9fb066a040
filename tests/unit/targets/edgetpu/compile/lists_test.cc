// Joined lists that are larger than narrow memory leave the chip in parts; large inputs; outputs
// among parameters that come from the host.
#include "unit/targets/edgetpu/compile/families.h"

namespace edgetwin::edgetpu::compiler {
namespace {

ValueId head(FamilyNetwork& net, ValueId map, int anchors, int classes) {
  const Shape s = net.shape(map);
  const ValueId all = net.conv(map, anchors * classes, 1, 1, false);
  return net.reshape(all, {1, s[1] * s[2] * anchors, classes});
}

// All of it is one program, whose output `name` has so many positions in a row, in so many parts.
void expect_list(const Graph& graph, const std::string& name, int32_t row, size_t parts) {
  Model model;
  model.format = "tflite";
  model.graphs.push_back(graph);
  const auto made = compile_model(model);
  ASSERT_TRUE(made.ok()) << to_text(made.error());
  for (const Assignment& a : made->partition.ops) ASSERT_FALSE(a.refusal) << a.refusal->message;
  ASSERT_EQ(made->partition.groups.size(), 1u);
  const darwinn::Executable* e = made->partition.groups[0].package.inference();
  ASSERT_NE(e, nullptr);
  const auto layer = std::ranges::find(e->outputs, name, &darwinn::Layer::name);
  ASSERT_NE(layer, e->outputs.end());
  EXPECT_EQ(layer->x_dim, row);
  size_t transfers = 0;
  for (const darwinn::DmaHint& h : e->dma_hints->hints) transfers += h.meta.name == name ? 1 : 0;
  EXPECT_EQ(transfers, parts);
  expect_proven(model, *made);
}

// 6,400 and 1,600 pixels of six positions with 91 classes, which take 92 bytes each: one position
// of each pixel of the first map at a time, two of the second.
TEST(EdgetpuCompileLists, HeadsOfADetector) {
  FamilyNetwork net(Trained::int8);
  const ValueId large = net.conv(net.input(80, 80, 4), 16, 3);
  const ValueId small = net.conv(large, 16, 3, 2);
  const ValueId scores =
      net.logistic(net.join_along(1, {head(net, large, 6, 91), head(net, small, 6, 91)}));
  const ValueId boxes = net.join_along(1, {head(net, large, 6, 4), head(net, small, 6, 4)});
  const Graph graph = net.ends({boxes, scores});
  const std::string name = graph.value(scores).name;
  EXPECT_EQ(graph.value(scores).shape[1], 48'000);
  expect_list(graph, name, 6, 9);
}

// The sigmoid stands before the join, parts have their own numbers, and pixels 6 and 4 positions.
TEST(EdgetpuCompileLists, PartsOfDifferentKinds) {
  FamilyNetwork net(Trained::uint8);
  const ValueId large = net.conv(net.input(80, 76, 4), 16, 3);
  const ValueId small = net.conv(large, 16, 3, 2);
  const ValueId list = net.join_along(
      1, {net.logistic(head(net, small, 4, 85)), net.logistic(head(net, large, 6, 85)),
          head(net, net.conv(small, 24, 3, 2), 4, 85)});
  const Graph graph = net.ends({list, net.average(small)});
  expect_list(graph, graph.value(list).name, 2, 8);
}

// Pixels of which each is a position; words that nothing fills up.
TEST(EdgetpuCompileLists, OnePositionOfEachPixel) {
  FamilyNetwork net(Trained::int8);
  const ValueId large = net.conv(net.input(96, 96, 4), 16, 3);
  const ValueId small = net.conv(large, 16, 3, 2);
  const ValueId list = net.join_along(1, {head(net, large, 1, 280), head(net, small, 1, 280)});
  const Graph graph = net.ends({list});
  expect_list(graph, graph.value(list).name, 1, 2);
}

// A row of tiles takes 589,824 bytes, which one instruction cannot count.
TEST(EdgetpuCompileLists, AnInputInTwoTurns) {
  FamilyNetwork net(Trained::int8);
  const Graph graph = net.ends({net.conv(net.input(96, 96, 256), 8)});
  Model model;
  model.format = "tflite";
  model.graphs.push_back(graph);
  const auto made = compile_model(model);
  ASSERT_TRUE(made.ok()) << to_text(made.error());
  ASSERT_EQ(made->partition.groups.size(), 1u);
  expect_proven(model, *made);
}

// Regression: all parameters were announced before outputs that leave among them.
TEST(EdgetpuCompileLists, OutputsAmongParametersFromTheHost) {
  FamilyNetwork net(Trained::int8);
  const ValueId large = net.conv(net.input(80, 80, 4), 16, 3);
  const ValueId first = head(net, large, 6, 92);
  ValueId at = net.conv(net.conv(net.conv(large, 32, 3, 2), 64, 3, 2), 512, 3, 2);
  for (int k = 0; k < 4; ++k) at = net.conv(at, 512, 3);
  const Graph graph = net.ends({net.join_along(1, {first, head(net, at, 6, 92)})});
  Model model;
  model.format = "tflite";
  model.graphs.push_back(graph);
  const auto made = compile_model(model);
  ASSERT_TRUE(made.ok()) << to_text(made.error());
  ASSERT_EQ(made->partition.groups.size(), 1u);
  EXPECT_GT(made->partition.groups[0].compiled.streamed_bytes, 0);
  const darwinn::Executable* e = made->partition.groups[0].package.inference();
  const auto place = [&](darwinn::BaseAddress base) {
    return std::ranges::find_if(e->dma_hints->hints, [&](const darwinn::DmaHint& h) {
      return h.kind == darwinn::HintKind::descriptor && h.meta.base == base;
    });
  };
  const auto parameters = place(darwinn::BaseAddress::parameter);
  ASSERT_NE(parameters, e->dma_hints->hints.end());
  EXPECT_LT(place(darwinn::BaseAddress::output), parameters);
  expect_proven(model, *made);
}

}  // namespace
}  // namespace edgetwin::edgetpu::compiler

#include "targets/edgetpu/runtime/split.h"

#include <gtest/gtest.h>

#include "unit/targets/edgetpu/runtime/split_model.h"

namespace edgetwin::edgetpu {
namespace {

// in -> relu a -> [device] b, c -> relu d(b) -> add e(d, c) -> out
Graph graph_of_three() {
  Graph g = values_of_split();
  add_op(g, OpKind::relu, NoAttrs{}, {0}, {1});
  add_op(g, OpKind::opaque, compiled_op(), {1}, {2, 3});
  add_op(g, OpKind::relu, NoAttrs{}, {2}, {4});
  add_op(g, OpKind::add, BinaryAttrs{}, {4, 3}, {5});
  g.inputs = {0};
  g.outputs = {5, 3};
  return g;
}

TEST(Split, PartsGetWhatOthersMakeAndGiveWhatOthersNeed) {
  const Graph g = graph_of_three();
  const auto parts = split(g);
  ASSERT_TRUE(parts.ok());
  ASSERT_EQ(parts->size(), 3u);
  EXPECT_FALSE((*parts)[0].on_device);
  EXPECT_EQ((*parts)[0].inputs, std::vector<ValueId>{0});
  EXPECT_EQ((*parts)[0].outputs, std::vector<ValueId>{1});
  EXPECT_TRUE((*parts)[1].on_device);
  EXPECT_EQ((*parts)[1].outputs, (std::vector<ValueId>{2, 3}));
  EXPECT_EQ((*parts)[2].inputs, (std::vector<ValueId>{2, 3}));
  EXPECT_EQ((*parts)[2].outputs, std::vector<ValueId>{5});
  EXPECT_EQ((*parts)[2].count, 2u);
  for (const size_t host : {size_t{0}, size_t{2}}) {
    ASSERT_NE((*parts)[host].graph, nullptr);
    const Status good = verify_graph(*(*parts)[host].graph);
    EXPECT_TRUE(good.ok()) << to_text(good.error());
  }
}

TEST(Split, NamesTheOperatorThatEndsTheDevicePart) {
  const Graph g = graph_of_three();
  const auto lines = describe_split(g, *split(g));
  ASSERT_EQ(lines.size(), 3u);
  EXPECT_EQ(lines[1].where, "Edge TPU");
  EXPECT_TRUE(lines[1].why.empty());
  EXPECT_NE(lines[2].why.find("#2 RELU 'd'"), std::string::npos) << lines[2].why;
  EXPECT_NE(lines[2].what.find("(2 operators)"), std::string::npos) << lines[2].what;
}

TEST(Split, AVariableOfTheDeviceIsRefused) {
  Graph g = graph_of_three();
  g.values[1].is_variable = true;
  EXPECT_EQ(split(g).error().code, ErrorCode::device_request);
  // Who runs the programs may keep it, but it is still of one part only: here the host makes it.
  g.ops[0].outputs = {4};
  const auto kept = split(g, States::kept);
  ASSERT_TRUE(kept.ok()) << to_text(kept.error());
  EXPECT_EQ((*kept)[1].inputs, std::vector<ValueId>{1});
}

}  // namespace
}  // namespace edgetwin::edgetpu

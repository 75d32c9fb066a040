#include "targets/edgetpu/invoke/split.h"

#include <gtest/gtest.h>

namespace edgetwin::edgetpu {
namespace {

// in -> relu a -> [device] b, c -> relu d(b) -> add e(d, c) -> out
Graph network() {
  Graph g;
  for (const char* name : {"in", "a", "b", "c", "d", "e"}) {
    Value v;
    v.name = name;
    v.dtype = DType::int8;
    v.shape = Shape{1, 4};
    v.quant = Quant::affine(0.5F, 0);
    g.values.push_back(v);
  }
  const auto op = [&](OpKind kind, Attrs attrs, std::vector<ValueId> in, std::vector<ValueId> out) {
    Op o;
    o.kind = kind;
    o.attrs = std::move(attrs);
    o.inputs = std::move(in);
    o.outputs = std::move(out);
    g.ops.push_back(std::move(o));
  };
  OpaqueAttrs compiled;
  compiled.name = "edgetpu-custom-op";
  op(OpKind::relu, NoAttrs{}, {0}, {1});
  op(OpKind::opaque, compiled, {1}, {2, 3});
  op(OpKind::relu, NoAttrs{}, {2}, {4});
  op(OpKind::add, BinaryAttrs{}, {4, 3}, {5});
  g.inputs = {0};
  g.outputs = {5, 3};
  return g;
}

TEST(Split, PartsGetWhatOthersMakeAndGiveWhatOthersNeed) {
  const Graph g = network();
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
  const Graph g = network();
  const auto lines = describe_split(g, *split(g));
  ASSERT_EQ(lines.size(), 3u);
  EXPECT_EQ(lines[1].where, "Edge TPU");
  EXPECT_TRUE(lines[1].why.empty());
  EXPECT_NE(lines[2].why.find("#2 RELU 'd'"), std::string::npos) << lines[2].why;
  EXPECT_NE(lines[2].what.find("(2 operators)"), std::string::npos) << lines[2].what;
}

TEST(Split, AVariableOfTheDeviceIsRefused) {
  Graph g = network();
  g.values[1].is_variable = true;
  EXPECT_EQ(split(g).error().code, ErrorCode::device_request);
}

}  // namespace
}  // namespace edgetwin::edgetpu

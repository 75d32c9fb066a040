// Parts of a network, and a network without what nothing needs.
#include "transform/subgraph.h"

#include <gtest/gtest.h>

namespace edgetwin::transform {
namespace {

// a -> relu -> b -> tanh -> c, and b -> neg -> d, which no output needs; e belongs to no operator.
Graph fork() {
  Graph g;
  for (const char* name : {"a", "b", "c", "d", "e"}) {
    Value v;
    v.name = name;
    v.shape = Shape{1, 4};
    g.values.push_back(v);
  }
  const auto add = [&](OpKind kind, ValueId from, ValueId to) {
    Op op;
    op.kind = kind;
    op.inputs = {from};
    op.outputs = {to};
    g.ops.push_back(op);
  };
  add(OpKind::relu, 0, 1);
  add(OpKind::neg, 1, 3);
  add(OpKind::tanh, 1, 2);
  g.inputs = {0};
  g.outputs = {2};
  g.layout = Layout::nchw;
  return g;
}

TEST(Subgraph, IsWhatLiesBetweenTheValues) {
  const Subgraph part = subgraph(fork(), {1}, {2});
  ASSERT_EQ(part.graph.ops.size(), 1U);
  EXPECT_EQ(part.graph.ops[0].kind, OpKind::tanh);
  EXPECT_EQ(part.op_of, (std::vector<std::optional<size_t>>{std::nullopt, std::nullopt, 0}));
  EXPECT_EQ(part.graph.inputs, std::vector<ValueId>{1});
  EXPECT_EQ(part.graph.values.size(), 5U);
  EXPECT_EQ(part.graph.layout, Layout::nchw);
}

TEST(Subgraph, OfOtherOutputsKeepsTheInputs) {
  const Graph part = part_for(fork(), {3});
  ASSERT_EQ(part.ops.size(), 2U);
  EXPECT_EQ(part.ops[1].kind, OpKind::neg);
  EXPECT_EQ(part.inputs, std::vector<ValueId>{0});
  EXPECT_EQ(part.outputs, std::vector<ValueId>{3});
  EXPECT_EQ(find_op(part, OpKind::relu), part.ops.data());
  EXPECT_EQ(find_op(part, OpKind::tanh), nullptr);
}

TEST(RemoveUnused, DropsOperatorsAndValues) {
  Graph g = fork();
  remove_unused(g);
  ASSERT_EQ(g.ops.size(), 2U);
  ASSERT_EQ(g.values.size(), 3U);
  EXPECT_EQ(g.value(g.outputs[0]).name, "c");
  EXPECT_EQ(g.ops[1].inputs, g.ops[0].outputs);
  EXPECT_EQ(g.value(g.ops[0].inputs[0]).name, "a");
}

TEST(RemoveUnused, OfValuesKeepsEveryOperatorAndAbsentOperands) {
  Graph g = fork();
  g.ops[2].inputs.push_back(kAbsent);
  remove_unused_values(g);
  EXPECT_EQ(g.ops.size(), 3U);
  EXPECT_EQ(g.values.size(), 4U);
  EXPECT_EQ(g.ops[2].inputs[1], kAbsent);
}

}  // namespace
}  // namespace edgetwin::transform

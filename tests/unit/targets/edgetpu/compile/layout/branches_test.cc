// A convolution beside a block of three layers, as MoveNet has them; outputs beside what stays, as
// PoseNet and DeepLab v3 have them.
#include "targets/edgetpu/compile/layout/branches.h"

#include <gtest/gtest.h>

#include <numeric>

#include "unit/targets/edgetpu/compile/family_networks.h"

namespace edgetwin::edgetpu::compiler {
namespace {

// Places of the operators of a side branch and a block that both read one tensor.
std::vector<size_t> order_of(int stride, int channels) {
  FamilyNetwork net(Trained::int8);
  const ValueId at = net.conv(net.input(32, 32, 4), 16, 1, 2);
  const ValueId side = net.conv(at, 16);
  const ValueId block = net.conv(net.deep(net.conv(at, 64), 3, stride), channels, 1, 1, false);
  const ValueId end = net.conv(block, 8);
  const Graph graph = net.ends({net.conv(side, 8), end});
  std::vector<size_t> ops(graph.ops.size());
  std::iota(ops.begin(), ops.end(), size_t{0});
  return later_branches(graph, ops);
}

TEST(EdgetpuBranches, ASideBranchComesAfterABlockThatEndsSmaller) {
  EXPECT_EQ(order_of(2, 24), (std::vector<size_t>{0, 2, 3, 4, 1, 5, 6}));
}

TEST(EdgetpuBranches, AndBeforeOneThatDoesNot) {
  EXPECT_EQ(order_of(1, 24), (std::vector<size_t>{0, 1, 2, 3, 4, 5, 6}));
}

std::vector<size_t> in_file_order(const Graph& graph) {
  std::vector<size_t> ops(graph.ops.size());
  std::iota(ops.begin(), ops.end(), size_t{0});
  return ops;
}

// Two parts of a join, and two outputs of one tensor; the operators are numbered as they are made.
Graph heads(bool same) {
  FamilyNetwork net(Trained::int8);
  const ValueId at = net.conv(net.input(32, 32, 4), 16, 3, 2);
  const ValueId a = net.conv(at, 8, 1, 1, false), b = net.conv(at, 12, 1, 1, false);
  const ValueId join = net.join_along(3, {b, a}, same);
  const ValueId c = net.conv(at, 5), d = net.quantized(net.conv(at, 6));
  return net.ends({join, c, d});
}

TEST(EdgetpuBranches, WhatStaysComesAfterWhatLeaves) {
  const Graph graph = heads(true);
  EXPECT_EQ(leaving_first(graph, in_file_order(graph)), (std::vector<size_t>{0, 4, 5, 6, 1, 2, 3}));
}

TEST(EdgetpuBranches, AChainKeepsItsOrder) {
  FamilyNetwork net(Trained::int8);
  const ValueId at = net.conv(net.input(32, 32, 4), 16, 3, 2);
  const Graph graph = net.ends({net.conv(net.conv(at, 8), 8)});
  EXPECT_EQ(later_branches(graph, in_file_order(graph)), in_file_order(graph));
  EXPECT_EQ(leaving_first(graph, in_file_order(graph)), in_file_order(graph));
}

// A reader of the picture that the file has between comes after what the pool's result alone makes.
TEST(EdgetpuBranches, WhatAPoolMakesComesBeforeOtherReadersOfItsPicture) {
  FamilyNetwork net(Trained::int8);
  const ValueId at = net.conv(net.input(8, 8, 4), 16);
  const ValueId mean = net.average_of(at, 8, 8, false);
  const ValueId beside = net.conv(at, 8);
  const ValueId spread = net.tile(net.conv(mean, 12), 8, 8);
  const Graph graph = net.ends({net.join_along(3, {spread, beside})});
  const auto after = [&](bool leaves) {
    return after_pools(graph, in_file_order(graph), [leaves](const Op& op) {
      return leaves && op.kind == OpKind::average_pool_2d;
    });
  };
  EXPECT_EQ(after(true), (std::vector<size_t>{0, 1, 3, 4, 2, 5}));
  EXPECT_EQ(after(false), in_file_order(graph));
}

TEST(EdgetpuBranches, PartsOfAJoinWithItsNumbersHaveTheirPlaceInIt) {
  const Graph graph = heads(true);
  const auto parts = joined_parts(graph, in_file_order(graph));
  ASSERT_EQ(parts.size(), 2u);
  const Op& join = graph.ops[3];
  for (size_t k = 0; k < 2; ++k) {
    EXPECT_EQ(parts[k].part, join.inputs[k]);
    EXPECT_EQ(parts[k].whole, join.outputs[0]);
    EXPECT_EQ(parts[k].first_channel, k == 0 ? 0 : 12);
  }
  const Graph other = heads(false);
  EXPECT_TRUE(joined_parts(other, in_file_order(other)).empty());
}

// Heads of a depthwise layer and two others; the operators are numbered as they are made.
std::vector<size_t> order_of_heads(const std::vector<int>& channels, bool join = false) {
  FamilyNetwork net(Trained::int8);
  const ValueId at = net.conv(net.input(32, 32, 4), 16, 3, 2);
  std::vector<ValueId> heads;
  for (const int n : channels) {
    heads.push_back(net.conv(net.conv(net.deep(at, 3, 1), 32), n, 1, 1, false));
  }
  if (join) heads = {net.join_along(3, heads, true)};
  const Graph graph = net.ends(heads);
  return heads_by_size(graph, in_file_order(graph));
}

// Their fullest operator makes 32 channels of 16; the third one's reads 32 and makes 20.
TEST(EdgetpuBranches, HeadsComeByTheirFullestOperatorThenByWhatTheyGive) {
  EXPECT_EQ(order_of_heads({1, 9, 20}), (std::vector<size_t>{0, 4, 5, 6, 1, 2, 3, 7, 8, 9}));
  EXPECT_EQ(order_of_heads({20, 1}), (std::vector<size_t>{0, 4, 5, 6, 1, 2, 3}));
}

TEST(EdgetpuBranches, HeadsThatAreJoinedKeepTheirOrder) {
  EXPECT_EQ(order_of_heads({20, 1}, true), (std::vector<size_t>{0, 1, 2, 3, 4, 5, 6, 7}));
}

// RESHAPEs come after what they read, their join after the last one; those of two convolutions of
// one tensor in a row in reverse order.
TEST(EdgetpuBranches, ListsComeWhereTheyCanBeMade) {
  FamilyNetwork net(Trained::int8);
  const ValueId in = net.conv(net.input(8, 8, 4), 16);
  const ValueId a = net.conv(in, 12, 1, 1, false), b = net.conv(in, 8, 1, 1, false);
  const ValueId c = net.conv(net.conv(a, 16, 3, 2), 8, 1, 1, false);
  const ValueId of_a = net.reshape(a, {1, 192, 4}), of_b = net.reshape(b, {1, 128, 4});
  const ValueId of_c = net.reshape(c, {1, 32, 4});
  const Graph graph = net.ends({net.join_along(1, {of_a, of_b, of_c})});
  const auto ops = in_file_order(graph);
  ASSERT_EQ(ops.size(), 9u);
  EXPECT_EQ(lists_when_made(graph, ops), (std::vector<size_t>{0, 1, 2, 6, 5, 3, 4, 7, 8}));
}

}  // namespace
}  // namespace edgetwin::edgetpu::compiler

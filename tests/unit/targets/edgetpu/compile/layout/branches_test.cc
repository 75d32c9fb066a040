// A convolution beside a block of three layers, as MoveNet has them.
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
  const Graph graph = net.ends({side, net.conv(block, 8)});
  std::vector<size_t> ops(graph.ops.size());
  std::iota(ops.begin(), ops.end(), size_t{0});
  return later_branches(graph, ops);
}

TEST(EdgetpuBranches, ASideBranchComesAfterABlockThatEndsSmaller) {
  EXPECT_EQ(order_of(2, 24), (std::vector<size_t>{0, 2, 3, 4, 1, 5}));
}

TEST(EdgetpuBranches, AndBeforeOneThatDoesNot) {
  EXPECT_EQ(order_of(1, 24), (std::vector<size_t>{0, 1, 2, 3, 4, 5}));
}

}  // namespace
}  // namespace edgetwin::edgetpu::compiler

// Lists that leave the chip in parts, read back: layers of the heads, their functions and the
// joining, and the same bytes.
#include "unit/targets/edgetpu/compile/read_back.h"

namespace edgetwin::edgetpu::compiler {
namespace {

ValueId rows_of(FamilyNetwork& net, ValueId map, int anchors, int classes) {
  const Shape s = net.shape(map);
  const ValueId all = net.conv(map, anchors * classes, 1, 1, false);
  return net.reshape(all, {1, s[1] * s[2] * anchors, classes});
}

void expect_lists(const Graph& graph, size_t layers) {
  expect_all(graph, layers);
  expect_same_bytes(graph);
}

// Six pieces of the first map, three of the second; rows of 91 classes take 92 bytes. The boxes are
// a list that leaves as a whole.
TEST(EdgetpuDecompileLists, HeadsOfADetector) {
  FamilyNetwork net(Trained::int8);
  const ValueId large = net.conv(net.input(80, 80, 4), 16, 3);
  const ValueId small = net.conv(large, 16, 3, 2);
  const ValueId scores =
      net.logistic(net.join_along(1, {rows_of(net, large, 6, 91), rows_of(net, small, 6, 91)}));
  const ValueId boxes = net.join_along(1, {rows_of(net, large, 6, 4), rows_of(net, small, 6, 4)});
  expect_lists(net.ends({scores, boxes}), 7);
}

TEST(EdgetpuDecompileLists, WithoutAFunction) {
  FamilyNetwork net(Trained::int8);
  const ValueId large = net.conv(net.input(80, 80, 4), 16, 3);
  const ValueId small = net.conv(large, 16, 3, 2);
  expect_lists(
      net.ends({net.join_along(1, {rows_of(net, small, 6, 91), rows_of(net, large, 6, 91)})}), 4);
}

// Both are smaller than narrow memory: the list leaves as a whole, of two pictures.
TEST(EdgetpuDecompileLists, TwoMapsAsAWhole) {
  FamilyNetwork net(Trained::int8);
  const ValueId large = net.conv(net.input(20, 20, 4), 16, 3);
  const ValueId small = net.conv(large, 16, 3, 2);
  expect_lists(
      net.ends({net.join_along(1, {rows_of(net, small, 6, 8), rows_of(net, large, 6, 8)})}), 4);
}

// Functions of two parts stand before the joining, which rescales all of them.
TEST(EdgetpuDecompileLists, PartsOfDifferentKinds) {
  FamilyNetwork net(Trained::uint8);
  const ValueId large = net.conv(net.input(80, 76, 4), 16, 3);
  const ValueId small = net.conv(large, 16, 3, 2);
  const ValueId list = net.join_along(
      1, {net.logistic(rows_of(net, small, 4, 85)), net.logistic(rows_of(net, large, 6, 85)),
          rows_of(net, net.conv(small, 24, 3, 2), 4, 85)});
  expect_lists(net.ends({list, net.average(small)}), 9);
}

TEST(EdgetpuDecompileLists, OnePositionOfEachPixel) {
  FamilyNetwork net(Trained::int8);
  const ValueId large = net.conv(net.input(96, 96, 4), 16, 3);
  const ValueId small = net.conv(large, 16, 3, 2);
  expect_lists(
      net.ends({net.join_along(1, {rows_of(net, large, 1, 280), rows_of(net, small, 1, 280)})}), 4);
}

}  // namespace
}  // namespace edgetwin::edgetpu::compiler

// Layers whose instructions would have forms that no public program has: the same in other words,
// or by way of a tensor without borders.
#include "unit/targets/edgetpu/compile/family_networks.h"
#include "unit/targets/edgetpu/compile/on_chip.h"

namespace edgetwin::edgetpu::compiler {
namespace {

void expect_whole(const Graph& graph) {
  const Partition p = partition_of(graph);
  EXPECT_EQ(p.groups.size(), 1u);
  for (const Assignment& a : p.ops) EXPECT_FALSE(a.refusal) << a.refusal->message;
  expect_proven(graph);
}

// The last stages of ResNet-18 and of a U-Net: buffers of all weights do not fit, and the next
// layer wants a border.
TEST(EdgetpuCompileForms, PartialSumsThatNeedABorder) {
  for (const int side : {7, 16}) {
    FamilyNetwork net(Trained::int8);
    const ValueId at = net.conv(net.input(side, side, 512), 512, 3);
    expect_whole(net.ends({net.conv(at, 8, 3)}));
  }
}

// And one that has its place among the channels of a join.
TEST(EdgetpuCompileForms, PartialSumsOfAJoin) {
  FamilyNetwork net(Trained::int8);
  const ValueId at = net.input(16, 16, 512);
  const ValueId part = net.conv(at, 64, 3), other = net.conv(at, 32);
  expect_whole(net.ends({net.conv(net.join_along(3, {other, part}, true), 8, 3)}));
}

// Of 7 x 7 positions the last tile has one.
TEST(EdgetpuCompileForms, PartialSumsOfOnePosition) {
  FamilyNetwork net(Trained::int8);
  expect_whole(net.ends({net.conv(net.input(7, 7, 512), 8, 3)}));
}

// Parameters take all of wide memory, so that words go from tile to tile by two lines, of which a
// tile has one for eight channels of nine positions.
TEST(EdgetpuCompileForms, OneLineOfSeveralRows) {
  FamilyNetwork net(Trained::int8);
  const ValueId at = net.average(net.conv(net.input(14, 14, 8), 200));
  expect_whole(net.ends({net.dense(net.dense(at, 3000), 3000)}));
}

// 64 channels of 56 x 56 positions do not fit a tile: 32 of them do.
TEST(EdgetpuCompileForms, PoolsOfLargePicturesInTurns) {
  for (const int channels : {64, 100}) {
    FamilyNetwork net(channels == 64 ? Trained::int8 : Trained::uint8);
    const ValueId at = net.conv(net.input(57, 56, 8), channels);
    const ValueId factors = net.logistic(net.conv(net.average(at), channels, 1, 1, false));
    expect_whole(net.ends({net.conv(net.product(at, factors), 8)}));
  }
}

// A tile has 18,432 words of the repeated position, more than a loop counts.
TEST(EdgetpuCompileForms, RepetitionsInTurns) {
  FamilyNetwork net(Trained::int8);
  const ValueId at = net.conv(net.average(net.input(8, 8, 8)), 128);
  expect_whole(net.ends({net.conv(net.spread(at, 96, 96, true), 4)}));
}

}  // namespace
}  // namespace edgetwin::edgetpu::compiler

// Tensors that do not fit the chip between layers: the operators around them in bands.
#include "targets/edgetpu/compile/plan/segment.h"
#include "unit/targets/edgetpu/compile/family_networks.h"
#include "unit/targets/edgetpu/compile/on_chip.h"

namespace edgetwin::edgetpu::compiler {
namespace {

// Operator `op` is computed in bands, and the bytes are the twin's.
void expect_banded(const Graph& graph, size_t op) {
  const Partition p = partition_of(graph);
  ASSERT_EQ(p.groups.size(), 1u);
  bool in_bands = false;
  for (const PlannedOp& planned : p.groups[0].compiled.ops) {
    const bool bands = planned.template_name.find("bands") != std::string::npos;
    in_bands = in_bands || (planned.op == op && bands);
  }
  EXPECT_TRUE(in_bands);
  expect_twin_bytes(graph);
}

// 256 x 256 x 64 are 262,144 bytes in each tile.
TEST(EdgetpuCompileBands, GreatestOfWindows) {
  FamilyNetwork net(Trained::uint8);
  const ValueId wide = net.conv(net.input(256, 256, 4), 64);
  expect_banded(net.ends({net.conv(net.greatest_of(wide, 3, 2), 8)}), 1);
}

TEST(EdgetpuCompileBands, FunctionsAndAverages) {
  FamilyNetwork net(Trained::int8);
  const ValueId wide = net.logistic(net.conv(net.input(256, 256, 4), 64, 1, 1, false));
  expect_banded(net.ends({net.average_of(wide, 2, 2)}), 2);
}

// Its operands are 102,400 bytes each.
TEST(EdgetpuCompileBands, TheOtherBranchOfAResidualBlock) {
  for (const bool second : {false, true}) {
    FamilyNetwork net(Trained::int8);
    const ValueId at = net.conv(net.input(320, 320, 3), 64, 3, 2);
    const ValueId branch = net.conv(net.deep(net.conv(at, 128), 3, 1), 64, 1, 1, false);
    const ValueId sum = second ? net.sum(at, branch) : net.sum(branch, at);
    expect_banded(net.ends({net.greatest_of(net.conv(sum, 16), 2, 2)}), 4);
  }
}

// The input is cut before the first band, and results come to their place after the last one: all
// of it is never in narrow memory beside a band.
TEST(EdgetpuCompileBands, RectanglesWaitInWideMemory) {
  FamilyNetwork net(Trained::int8);
  const ValueId at = net.conv(net.input(256, 256, 20), 48, 1, 1);
  const Graph graph = net.ends({net.conv(net.deep(at, 3, 1), 20)});
  expect_banded(graph, 1);
  const Partition p = partition_of(graph);
  ASSERT_EQ(p.groups.size(), 1u);
  constexpr int64_t kEnds = 2 * 64 * 64 * 20;  // bytes of a tile
  int64_t most = 0;
  for (const PlannedOp& op : p.groups[0].compiled.ops) {
    if (op.op < 2) most = std::max(most, op.live_bytes);
  }
  EXPECT_GT(most, 0);
  EXPECT_LT(most, kNarrowBytes);
  EXPECT_LE(p.groups[0].compiled.narrow_bytes, kNarrowBytes);
  EXPECT_GT(kEnds, kNarrowBytes - most);
}

// Regression: the last rectangle comes by turns where lines are short; what the tiles had counted
// for those that waited before it was taken for its own.
TEST(EdgetpuCompileBands, TheLastRectangleComesAfterThoseThatWaited) {
  FamilyNetwork net(Trained::uint8);
  const ValueId at = net.greatest_of(net.conv(net.input(240, 320, 4), 64), 3, 2);
  expect_proven(net.ends({net.conv(net.conv(at, 64), 64), net.conv(at, 256)}));
}

// A row of tiles would take 696,000 bytes of the picture, more than can be counted.
TEST(EdgetpuCompileBands, RowsOfALargePictureComeForEachRowOfBands) {
  constexpr int64_t kHeight = 750, kWidth = 1250, kRow = kWidth * 3;
  FamilyNetwork net(Trained::int8);
  const ValueId at = net.conv(net.input(kHeight, kWidth, 3), 16, 3, 2);
  const Graph graph = net.ends({net.conv(net.deep(net.conv(at, 24), 3, 2), 8, 3, 2)});
  const Partition p = partition_of(graph);
  ASSERT_EQ(p.groups.size(), 1u);
  for (const Assignment& a : p.ops) EXPECT_GE(a.group, 0) << a.refusal->message;
  const std::vector<SentRows>& sent = p.groups[0].compiled.inputs[0].parts;
  ASSERT_GE(sent.size(), 2u);
  int64_t end = 0;
  for (const SentRows& part : sent) {
    EXPECT_EQ(part.offset % 8, 0);
    EXPECT_LE(part.offset, end);  // nothing is left out
    end = part.offset + part.bytes;
  }
  EXPECT_EQ(sent.front().offset, 0);
  EXPECT_EQ(end, kHeight * kRow);
  expect_proven(graph);
}

// Every second column of 80 is read, the last one not: the host sends it all the same.
TEST(EdgetpuCompileBands, RowsComeWithColumnsThatNoWindowReads) {
  for (const int channels : {64, 256}) {
    FamilyNetwork net(Trained::int8);
    const Graph graph = net.ends({net.conv(net.input(60, 80, 512), channels, 1, 2)});
    const Partition p = partition_of(graph);
    ASSERT_EQ(p.groups.size(), 1u);
    EXPECT_GE(p.groups[0].compiled.inputs[0].parts.size(), 2u);
    expect_proven(graph);
  }
}

}  // namespace
}  // namespace edgetwin::edgetpu::compiler

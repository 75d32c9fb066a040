// Tensors that neither memory of the chip holds: their rows come from the host, or leave, for each
// strip.
#include "unit/targets/edgetpu/compile/family_networks.h"
#include "unit/targets/edgetpu/compile/on_chip.h"

namespace edgetwin::edgetpu::compiler {
namespace {

struct Transfers {
  size_t rows = 0;     // of inputs, in runs that the host sends apart
  size_t left = 0;     // of outputs
  bool waits = false;  // one that leaves is in wide memory, too
};

// One program, whose inputs and outputs come and leave in rows as told, and which passes its proof.
void expect_rows(const Graph& graph, const Transfers& wanted) {
  Model model;
  model.format = "tflite";
  model.graphs.push_back(graph);
  const auto made = compile_model(model);
  ASSERT_TRUE(made.ok()) << to_text(made.error());
  for (const Assignment& a : made->partition.ops)
    ASSERT_FALSE(a.refusal) << "#" << a.op << " " << a.refusal->message;
  ASSERT_EQ(made->partition.groups.size(), 1u);
  const CompiledSegment& program = made->partition.groups[0].compiled;
  Transfers found;
  for (const HostRows& rows : program.host_rows) found.rows += rows.parts.size();
  for (const HostTensor& out : program.outputs) found.left += out.rows.size();
  for (const PlannedOp& op : program.ops) {
    const bool both = op.template_name.find("wide memory, result to the host") != std::string::npos;
    found.waits = found.waits || both;
  }
  EXPECT_EQ(found.rows, wanted.rows);
  EXPECT_EQ(found.left, wanted.left);
  EXPECT_EQ(found.waits, wanted.waits);
  expect_proven(model, *made);
}

// Rows above and below each tile's are sent twice; the first and the last tiles have none there.
TEST(EdgetpuCompileHostStrips, AnInputComes) {
  FamilyNetwork net(Trained::uint8);
  const ValueId wide = net.input(256, 256, 48);
  const ValueId a = net.conv(wide, 8, 3), b = net.conv(wide, 8, 5);
  expect_rows(net.ends({net.join_along(3, {a, b}, true)}), {24, 0});
}

// The last level of a U-Net: the tensor from above and what was put aside come, the result leaves.
TEST(EdgetpuCompileHostStrips, AnInputBesideASmallerOne) {
  FamilyNetwork net(Trained::int8);
  const ValueId small = net.input(96, 128, 16), aside = net.input(192, 256, 64);
  const ValueId up = net.conv(net.nearest(small, 2, 2), 16, 3);
  const ValueId joined = net.join_along(3, {up, aside}, true);
  expect_rows(net.ends({net.conv(joined, 64, 3)}), {16, 3});
}

// A result that leaves, and which a later run of strips reads, waits in wide memory, too.
TEST(EdgetpuCompileHostStrips, AResultLeavesAndWaits) {
  FamilyNetwork net(Trained::int8);
  const ValueId wide = net.conv(net.conv(net.input(256, 256, 4), 16, 3), 48, 3);
  const ValueId small = net.conv(net.greatest_of(wide, 4, 4, false), 16, 3);
  const ValueId up = net.nearest(net.nearest(small, 2, 2), 2, 2);
  const ValueId joined = net.join_along(3, {net.conv(up, 16, 3), wide}, true);
  expect_rows(net.ends({net.conv(joined, 4), wide}), {0, 4, true});
}

// 60 and 30 rows: the last tiles have fewer than the others.
TEST(EdgetpuCompileHostStrips, UnevenRows) {
  FamilyNetwork net(Trained::int8);
  const ValueId wide = net.input(60, 80, 640);
  const ValueId at = net.sum(net.conv(wide, 512, 1, 2, false), net.conv(wide, 512, 1, 2, false));
  expect_rows(net.ends({net.conv(at, 32, 3)}), {32, 8});
}

// The host joins two tensors before the chip has got them.
TEST(EdgetpuCompileHostStrips, TheHostIsQuicker) {
  FamilyNetwork net(Trained::int8);
  const ValueId a = net.input(256, 256, 48), b = net.input(256, 256, 48);
  const Partition p = partition_of(net.ends({net.join_along(3, {a, b}, true)}));
  EXPECT_TRUE(p.groups.empty());
}

// Rows of 1,020 x 3 bytes do not begin where a transfer can; those of 1,024 x 3 do.
TEST(EdgetpuCompileHostStrips, RowsThatCannotBeSentApart) {
  for (const int side : {1020, 1024}) {
    FamilyNetwork net(Trained::int8);
    const ValueId wide = net.input(side, side, 3);
    const ValueId a = net.conv(wide, 32, 9, 4), b = net.conv(wide, 32, 11, 4);
    const Partition p = partition_of(net.ends({net.conv(net.sum(a, b), 4)}));
    const bool whole = p.groups.size() == 1 && p.groups[0].segment.ops.size() == 4;
    EXPECT_EQ(whole, side == 1024) << side;
  }
}

}  // namespace
}  // namespace edgetwin::edgetpu::compiler

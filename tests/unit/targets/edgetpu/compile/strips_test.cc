// Tensors that do not fit the chip, of which several operators know: in strips of each tile's rows.
#include "targets/edgetpu/compile/plan/segment.h"
#include "unit/targets/edgetpu/compile/family_networks.h"
#include "unit/targets/edgetpu/compile/on_chip.h"

namespace edgetwin::edgetpu::compiler {
namespace {

std::string template_in(const Partition& p, size_t op) {
  for (const PlannedOp& planned : p.groups[0].compiled.ops) {
    if (planned.op == op) return planned.template_name;
  }
  return {};
}

// Operator `op` is computed in strips, its result is parked or not, and the file passes its proof.
// Not `proven`: the bytes alone, where the search for scales of what is read again takes long.
void expect_strips(const Graph& graph, size_t op, bool parked, bool proven = true) {
  Model model;
  model.format = "tflite";
  model.graphs.push_back(graph);
  const auto made = compile_model(model);
  ASSERT_TRUE(made.ok()) << to_text(made.error());
  for (const Assignment& a : made->partition.ops) ASSERT_FALSE(a.refusal) << a.refusal->message;
  ASSERT_EQ(made->partition.groups.size(), 1u);
  const std::string name = template_in(made->partition, op);
  EXPECT_NE(name.find("strips"), std::string::npos) << name;
  EXPECT_EQ(name.find("wide memory") != std::string::npos, parked) << name;
  if (!proven) return expect_twin_bytes(graph);
  expect_proven(model, *made);
}

ValueId twice(FamilyNetwork& net, ValueId at) {
  const ValueId to = net.nearest(at, 2, 2);
  net.same_quantization(to, at);
  return to;
}

// The skipped tensor has 131,072 bytes in each tile, the join twice that.
TEST(EdgetpuCompileStrips, ALevelOfAUNet) {
  FamilyNetwork net(Trained::int8);
  const ValueId skip = net.conv(net.conv(net.input(256, 256, 4), 8, 3), 32, 3);
  const ValueId small = net.conv(net.greatest_of(skip, 2, 2, false), 16, 3);
  const ValueId up = net.conv(twice(net, small), 32, 3);
  const ValueId joined = net.join_along(3, {up, skip}, true);
  expect_strips(net.ends({net.conv(net.conv(joined, 8, 3), 4)}), 1, true, false);
}

// Both branches read 147,456 bytes of each tile; of 262,144 the rows of a sum take the lines of the
// rows that they are made of.
TEST(EdgetpuCompileStrips, ResidualBlocks) {
  for (const int n : {144, 256}) {
    FamilyNetwork net(Trained::int8);
    ValueId at = net.conv(net.greatest_of(net.conv(net.input(256, 256, 4), 16, 3), 2, 2), n);
    for (int k = 0; k < 2; ++k) {
      at = net.sum(at, net.conv(net.conv(net.conv(at, 16), 16, 3), n, 1, 1, false));
    }
    const ValueId ends = net.sum(net.conv(at, 32, 1, 2, false), net.conv(at, 32, 1, 2, false));
    expect_strips(net.ends({ends}), 2, true, false);
  }
}

// Rows above each tile's are parked last, and the first rows that come back begin with them.
TEST(EdgetpuCompileStrips, RowsAboveAloneAreABorder) {
  FamilyNetwork net(Trained::int8);
  const ValueId wide = net.conv(net.input(256, 256, 4), 48, 3);
  const ValueId below = net.pad(wide, {9, 0, 0, 0, 0, 0});
  const ValueId at = net.conv(below, 16, FamilyNetwork::Filter{10, 1, 2, false});
  expect_strips(net.ends({net.sum(at, net.conv(wide, 16, 1, 2))}), 0, true);
}

// The windows of the transposed convolution are as large as its stride.
TEST(EdgetpuCompileStrips, TransposedConvolution) {
  FamilyNetwork net(Trained::int8);
  const ValueId skip = net.conv(net.input(256, 256, 4), 32, 3);
  const ValueId small = net.conv(net.greatest_of(skip, 2, 2, false), 24, 3);
  const ValueId up = net.transposed_conv(small, 32, 2, 2);
  const ValueId joined = net.join_along(3, {up, skip}, true);
  expect_strips(net.ends({net.conv(net.conv(joined, 8, 3), 4)}), 3, false);
}

// A sigmoid times its operand, between windows that step by two.
TEST(EdgetpuCompileStrips, SigmoidTimesItsOperand) {
  FamilyNetwork net(Trained::uint8);
  const ValueId wide = net.conv(net.input(320, 320, 4), 64, 3, 2, false);
  const ValueId at = net.product(wide, net.logistic(wide));
  expect_strips(net.ends({net.conv(at, 16, 3, 2)}), 2, false);
}

// What lies above and below the picture is the zero point for each of two windows in a row.
TEST(EdgetpuCompileStrips, WindowsInARow) {
  FamilyNetwork net(Trained::int8);
  const ValueId at = net.conv(net.input(256, 256, 4), 64, 5);
  const ValueId joined = net.join_along(3, {net.conv(at, 48, 3), net.conv(at, 16)}, true);
  expect_strips(net.ends({net.conv(net.logistic(joined), 8, 3)}), 0, false);
}

class WithZero : public FamilyNetwork {
 public:
  using FamilyNetwork::FamilyNetwork;
  void set_zero(ValueId id, int zero) {
    graph_.value(id).quant = Quant::affine(graph_.value(id).quant.scale_of(0), zero);
  }
};

// Real 0 around a picture is the border of a pool where its zero point is the least byte.
TEST(EdgetpuCompileStrips, PadBeforeAPool) {
  for (const int zero : {0, 3}) {
    WithZero net(Trained::uint8);
    const ValueId at = net.conv(net.input(64, 64, 4), 16, 3, 2);
    net.set_zero(at, zero);
    const ValueId in = net.pad(at, {1, 1, 1, 1, 0, 0});
    const Graph graph = net.ends({net.conv(net.greatest_of(in, 3, 2, false), 8)});
    const Partition p = partition_of(graph);
    ASSERT_EQ(p.groups.size(), 1u);
    EXPECT_EQ(template_in(p, 1).empty(), zero == 0);
    expect_twin_bytes(graph);
  }
}

}  // namespace
}  // namespace edgetwin::edgetpu::compiler

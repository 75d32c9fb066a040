// Sums in the vendor's style whose operands a window reads, too: they are copied first.
#include "unit/targets/edgetpu/compile/family_networks.h"
#include "unit/targets/edgetpu/compile/on_chip.h"

namespace edgetwin::edgetpu::compiler {
namespace {

CompiledModel made_of(const Model& model, Style style) {
  auto made = compile_model(model, darwinn::kCurrentRuntimeVersion, style);
  EXPECT_TRUE(made.ok()) << to_text(made.error());
  return std::move(*made);
}

Model model_of(Graph graph) {
  Model model;
  model.format = "tflite";
  model.graphs.push_back(std::move(graph));
  return model;
}

// Residual blocks of full 3x3 convolutions, as in DeepLab slim: `at` has a border for the window,
// what is added to it has none.
Model blocks(int rows, int columns, int channels, int count) {
  FamilyNetwork net(Trained::int8);
  ValueId at = net.conv(net.input(rows, columns, 4), channels, 3);
  for (int k = 0; k < count; ++k) {
    at = net.sum(at, net.conv(net.conv(at, 2 * channels, 3), channels, 1, 1, false));
  }
  return model_of(net.ends({net.conv(at, 8)}));
}

size_t copies_of(const CompiledModel& made) {
  size_t n = 0;
  for (const Instruction& i : parse(made.partition.groups.at(0).compiled.run.data).instructions) {
    const bool copy = i.opcode() == Opcode::tensor && i.get_or_zero("kind") == 0x30;
    n += copy && i.get_or_zero("acc.switch_by") == 256 ? 1 : 0;
  }
  return n;
}

TEST(EdgetpuVendorSums, OperandsWithBordersAreCopied) {
  struct Size {
    int rows, columns, channels;
  };
  for (const Size& of :
       {Size{16, 16, 8}, Size{17, 13, 12}, Size{33, 9, 24}, Size{6, 6, 5}, Size{5, 21, 64}}) {
    SCOPED_TRACE(std::to_string(of.rows) + " x " + std::to_string(of.columns) + " of " +
                 std::to_string(of.channels));
    const Model model = blocks(of.rows, of.columns, of.channels, 2);
    const CompiledModel made = made_of(model, Style::vendor);
    ASSERT_EQ(made.partition.groups.size(), 1u);
    EXPECT_GE(copies_of(made), copies_of(made_of(model, Style::own)) + 2);
    expect_proven(model, made, 1, true);
  }
}

// Both have the same border: they lie alike, and none is copied.
TEST(EdgetpuVendorSums, OperandsWithTheSameBorderStay) {
  FamilyNetwork net(Trained::int8);
  const ValueId in = net.conv(net.input(16, 16, 4), 8);
  const ValueId a = net.conv(in, 8), b = net.conv(in, 8);
  const ValueId sum = net.sum(a, b);
  const Model model = model_of(net.ends({sum, net.conv(a, 8, 3), net.conv(b, 8, 3)}));
  const CompiledModel made = made_of(model, Style::vendor);
  ASSERT_EQ(made.partition.groups.size(), 1u);
  EXPECT_EQ(copies_of(made), copies_of(made_of(model, Style::own)));
  expect_proven(model, made, 1, true);
}

TEST(EdgetpuVendorSums, ABlockThatFillsNarrowMemory) {
  const Model model = blocks(129, 129, 40, 1);
  const CompiledModel made = made_of(model, Style::vendor);
  ASSERT_EQ(made.partition.groups.size(), 1u);
  EXPECT_GT(made.partition.groups[0].compiled.narrow_bytes, 170000);
  expect_proven(model, made, 1, true);
}

}  // namespace
}  // namespace edgetwin::edgetpu::compiler

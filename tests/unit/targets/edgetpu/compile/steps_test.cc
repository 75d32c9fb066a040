// What lies between two steps of a program, and what is written for one.
#include <cstdio>

#include "targets/edgetpu/isa/isa.h"
#include "unit/targets/edgetpu/compile/family_networks.h"
#include "unit/targets/edgetpu/compile/on_chip.h"
#include "unit/targets/edgetpu/compile/random_networks.h"

namespace edgetwin::edgetpu::compiler {
namespace {

// The one program of a network. Instructions refer to its bytes.
Bytes program_of(const Graph& graph) {
  const Partition p = partition_of(graph);
  EXPECT_EQ(p.groups.size(), 1u);
  return p.groups.empty() ? Bytes{} : p.groups[0].compiled.run.data;
}

uint64_t field(const Instruction& i, FieldName name) {
  return i.get(*find_field(i.opcode(), name));
}

// Counters begin anew and the scalar core is told by one instruction, as in public programs.
TEST(EdgetpuSteps, BarriersAreOneInstructionOfTheTiles) {
  RandomNetwork net(3);
  ValueId at = net.input(32, 32, 3);
  for (int k = 0; k < 4; ++k) at = net.window(at, 16, 3, 1, 1, true, k % 2 == 1);
  size_t barriers = 0;
  bool before = false;
  const Bytes program = program_of(net.finish(at));
  for (const Instruction& i : parse(program).instructions) {
    const bool waits = i.opcode() == Opcode::tile_sync;
    EXPECT_FALSE(before && waits);
    before = waits;
    barriers += waits && field(i, "set") == 0x1FFFF && field(i, "tell") == 1 ? 1 : 0;
  }
  EXPECT_GE(barriers, 4u);
}

// Four words are enough for instructions that copy words: no line of zeros is filled. The input's
// stay for the table.
TEST(EdgetpuSteps, TheUnitMatrixIsFourWordsAndStays) {
  RandomNetwork net(5);
  const ValueId x = net.input(16, 16, 8);
  size_t fills = 0;
  const Bytes program = program_of(net.finish(net.logistic(x)));
  for (const Instruction& i : parse(program).instructions) {
    if (i.opcode() != Opcode::move_up || field(i, "fill") != 1) continue;
    ++fills;
    EXPECT_EQ(field(i, "b.count"), 0u);  // one word
  }
  EXPECT_EQ(fills, 4u);
}

// Weights of two operands: both numbers, each in the low and in the high half, and zeros.
TEST(EdgetpuSteps, WeightsOfSumsAreFiveFills) {
  RandomNetwork net(6);
  const ValueId x = net.input(16, 16, 8);  // of another scale than the table's result
  size_t fills = 0, words = 0;
  const Bytes program = program_of(net.finish(net.sum(x, net.logistic(x))));
  for (const Instruction& i : parse(program).instructions) {
    if (find_field(i.opcode(), "fill") == nullptr || field(i, "fill") != 1) continue;
    ++fills;
    words += (field(i, "b.count") + 1) * (i.get(*find_field(i.opcode(), "b.count"), 1) + 1);
  }
  EXPECT_EQ(fills, 9u);  // four of them for the input and the table
  EXPECT_EQ(words, 20u);
}

// A band's result leaves while the next band comes: one step between two bands.
TEST(EdgetpuSteps, BandsLeaveAsTheNextOnesCome) {
  FamilyNetwork net(Trained::uint8);
  const ValueId wide = net.conv(net.input(256, 256, 4), 64);
  const Graph graph = net.ends({net.conv(net.greatest_of(wide, 3, 2), 8)});
  const Partition p = partition_of(graph);
  ASSERT_EQ(p.groups.size(), 1u);
  size_t bands = 0;
  for (const PlannedOp& planned : p.groups[0].compiled.ops) {
    unsigned rows = 0, columns = 0;
    if (std::sscanf(planned.template_name.c_str(), "in %u x %u bands", &rows, &columns) == 2) {
      bands = rows * columns;
    }
  }
  ASSERT_GE(bands, 2u);
  size_t moving = 0;
  bool sends = false;
  for (const Instruction& i : parse(p.groups[0].compiled.run.data).instructions) {
    const bool send = i.opcode() == Opcode::ring_send && field(i, "outfeed") == 0;
    sends = sends || (send && field(i, "second") == 0);
    if (i.opcode() != Opcode::sync) continue;
    moving += sends ? 1 : 0;
    sends = false;
  }
  EXPECT_EQ(moving, bands + 1);
}

int64_t narrow_of(const Graph& graph) {
  const Partition p = partition_of(graph);
  EXPECT_EQ(p.groups.size(), 1u);
  return p.groups.empty() ? 0 : p.groups[0].compiled.narrow_bytes;
}

// Values, exponentials of 16 bits, the result; what each is below the greatest lies in the result.
TEST(EdgetpuSteps, SoftmaxNeedsFourBytesForEachValue) {
  constexpr int64_t kValues = 4096, kConstants = 256;
  RandomNetwork net(9);
  const Graph graph = net.finish(net.softmax(net.input_of({1, kValues})));
  EXPECT_LE(narrow_of(graph), 4 * kValues + kConstants);
  expect_twin_bytes(graph);
}

// Regression: softmax after other layers; its input was taken from the first bytes of narrow
// memory.
TEST(EdgetpuSteps, SoftmaxComesBackFromItsProgram) {
  for (const int values : {20, 21}) {
    SCOPED_TRACE(values);
    RandomNetwork net(11);
    const ValueId pooled = net.average(net.window(net.input(8, 8, 4), 64, 1, 1, 1, true, false));
    Model model;
    model.format = "tflite";
    model.graphs.push_back(net.finish(net.softmax(net.dense(pooled, values))));
    const auto made = compile_model(model);
    ASSERT_TRUE(made.ok()) << to_text(made.error());
    ASSERT_EQ(made->partition.groups.size(), 1u);
    const auto file = tflite::write(made->model);
    ASSERT_TRUE(file.ok());
    const CompiledGroup& g = made->partition.groups[0];
    const auto proof = prove(model.main(), {{&g.segment, &g.package}}, *file, {});
    ASSERT_TRUE(proof.ok()) << to_text(proof.error());
    EXPECT_TRUE(proof->holds()) << why_not(*proof);
    EXPECT_EQ(proof->layers, 4u);
    EXPECT_GE(proof->decompiled, 3u) << proof->decompile_error;
  }
}

}  // namespace
}  // namespace edgetwin::edgetpu::compiler

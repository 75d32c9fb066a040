// What lies between two steps of a program, and what is written for one.
#include "targets/edgetpu/isa/isa.h"
#include "unit/targets/edgetpu/compile/family_networks.h"
#include "unit/targets/edgetpu/compile/on_chip.h"
#include "unit/targets/edgetpu/compile/random_networks.h"

namespace edgetwin::edgetpu::compiler {
namespace {

std::vector<Instruction> program_of(const Graph& graph) {
  const Partition p = partition_of(graph);
  EXPECT_EQ(p.groups.size(), 1u);
  return p.groups.empty() ? std::vector<Instruction>{}
                          : parse(p.groups[0].compiled.run.data).instructions;
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
  for (const Instruction& i : program_of(net.finish(at))) {
    const bool waits = i.opcode() == Opcode::tile_sync;
    EXPECT_FALSE(before && waits);
    before = waits;
    barriers += waits && field(i, "set") == 0x1FFFF && field(i, "tell") == 1 ? 1 : 0;
  }
  EXPECT_GE(barriers, 4u);
}

// Four words are enough for instructions that copy words: no line of zeros is filled.
TEST(EdgetpuSteps, TheUnitMatrixIsFourWords) {
  RandomNetwork net(5);
  const ValueId x = net.input(16, 16, 8);
  size_t fills = 0;
  for (const Instruction& i : program_of(net.finish(net.logistic(x)))) {
    if (i.opcode() != Opcode::move_up || field(i, "fill") != 1) continue;
    ++fills;
    EXPECT_EQ(field(i, "b.count"), 1u);
  }
  EXPECT_EQ(fills, 4u);
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

}  // namespace
}  // namespace edgetwin::edgetpu::compiler

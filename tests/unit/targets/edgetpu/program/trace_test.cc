#include "targets/edgetpu/program/trace.h"

#include <gtest/gtest.h>

#include "targets/edgetpu/machine/engines/core.h"
#include "unit/targets/edgetpu/isa/programs.h"

namespace edgetwin::edgetpu::machine {
namespace {

constexpr unsigned kCount = 1, kTiles = 6, kWord = 7;

Assembly branch_back(const ProgramBuilder& b, size_t to, bool conditional) {
  return Assembly(Opcode::branch)
      .set("conditional", conditional ? 1 : 0)
      .set("pv", conditional ? 1 : 0)
      .set("offset",
           static_cast<uint64_t>(static_cast<int64_t>(to) - static_cast<int64_t>(b.words())) &
               0x7FFF);
}

Assembly copy(bool dynamic) {
  Assembly a(Opcode::narrow_to_wide);
  if (!dynamic) return a.set("tiles", 1);
  return a.set("register", kWord)
      .set("a.dynamic", 1)
      .set("tiles.register", kTiles)
      .set("tiles.dynamic", 1);
}

darwinn::Executable executable(ProgramBuilder& b) {
  darwinn::Executable e;
  e.type = darwinn::ExecutableType::execution_only;
  e.bitstreams.push_back({b.finish(), {}, {}});
  return e;
}

Result<Trace> trace(const darwinn::Executable& e, uint64_t repeats = 100) {
  return trace_of(e, Buffers(e), repeats);
}

// Three steps, each of another tile and seven words further on.
darwinn::Executable counting() {
  ProgramBuilder b;
  b.op(ScalarOp::mov, kCount, 0, 3).op(ScalarOp::mov, kTiles, 0, 1).op(ScalarOp::mov, kWord, 0, 35);
  const size_t loop = b.words();
  b.add(copy(true));
  b.op(ScalarOp::shl, kTiles, kTiles, 4).op(ScalarOp::add, kWord, kWord, 7);
  b.op(ScalarOp::sub, kCount, kCount, 1).op(ScalarOp::ne, 0, kCount, 0);
  b.add(branch_back(b, loop, true));
  return executable(b);
}

TEST(EdgetpuMachineTrace, RegistersSpeakToInstructionsOfALoop) {
  const darwinn::Executable e = counting();
  const auto t = trace(e);
  ASSERT_TRUE(t.ok()) << to_text(t.error());
  std::vector<Visit> copies;
  for (const Visit& v : t->visits) {
    if (v.instruction.opcode() == Opcode::narrow_to_wide) copies.push_back(v);
  }
  ASSERT_EQ(copies.size(), 3U);
  for (size_t n = 0; n < 3; ++n) {
    EXPECT_EQ(copies[n].number, copies[0].number);
    EXPECT_EQ(copies[n].tiles, 1U << (4 * n));
    EXPECT_EQ(copies[n].start, 35 + 7 * static_cast<int64_t>(n));
  }
  // As steps they are decoded with what the registers said.
  const auto steps = make_steps(*t, "test");
  ASSERT_TRUE(steps.ok()) << to_text(steps.error());
  ASSERT_EQ(steps->list.size(), 3U);
  EXPECT_EQ(steps->list[2].tiles, 1U << 8U);
  EXPECT_EQ(steps->list[2].a.path.start, 49);
  EXPECT_LT(steps->instructions, 20U);
}

TEST(EdgetpuMachineTrace, ALoopThatRunsAwayNamesItsInstruction) {
  ProgramBuilder b;
  const size_t loop = b.words();
  b.add(copy(false));
  b.add(branch_back(b, loop, false));
  const darwinn::Executable e = executable(b);
  const auto t = trace(e);
  ASSERT_FALSE(t.ok());
  EXPECT_EQ(t.error().code, ErrorCode::chip_limit);
  EXPECT_NE(to_text(t.error()).find("instruction 1 (n2w"), std::string::npos);
}

TEST(EdgetpuMachineTrace, AnEndlessLoopOfTheScalarCoreToo) {
  ProgramBuilder b;
  b.add(copy(false));
  b.add(branch_back(b, b.words(), false));
  const darwinn::Executable e = executable(b);
  const auto t = trace(e);
  ASSERT_FALSE(t.ok());
  EXPECT_EQ(t.error().code, ErrorCode::edgetpu_endless);
  EXPECT_NE(to_text(t.error()).find("instruction 1 (n2w"), std::string::npos);
}

TEST(EdgetpuMachineTrace, ARegisterForSomethingElseIsNotGuessed) {
  ProgramBuilder b;
  b.add(Assembly(Opcode::wide_to_narrow).set("tiles", 1).set("register", kWord));
  const darwinn::Executable e = executable(b);
  const auto t = trace(e);
  ASSERT_FALSE(t.ok());
  EXPECT_EQ(t.error().code, ErrorCode::chip_unknown);
  // Nor are registers that nobody runs.
  const darwinn::Executable other = counting();
  const auto s = straight({ByteSpan(other.bitstreams[0].data)}, "test");
  ASSERT_FALSE(s.ok());
  EXPECT_EQ(s.error().code, ErrorCode::chip_unknown);
}

}  // namespace
}  // namespace edgetwin::edgetpu::machine

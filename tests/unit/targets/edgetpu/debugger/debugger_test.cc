#include "targets/edgetpu/debugger/debugger.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "targets/edgetpu/debugger/script.h"
#include "unit/targets/edgetpu/isa/programs.h"

namespace edgetwin::edgetpu {
namespace {

using ::testing::HasSubstr;

// s1 counts from 3 down to 0; s2 is stored at word 5 of the scalar core's memory.
darwinn::Executable countdown() {
  ProgramBuilder b;
  b.op(ScalarOp::mov, 1, 0, 3).op(ScalarOp::mov, 2, 0, 0x1234);
  b.store(1, 5, 2);
  b.op(ScalarOp::sub, 1, 1, 1).op(ScalarOp::ne, 0, 1, 0);
  b.add(Assembly(Opcode::branch)
            .set("conditional", 1)
            .set("pi", 0)
            .set("pv", 1)
            .set("offset", static_cast<uint64_t>(-2)));
  darwinn::Executable e;
  e.type = darwinn::ExecutableType::stand_alone;
  e.bitstreams.push_back({b.finish(), {}, {}});
  return e;
}

class DebuggerTest : public ::testing::Test {
 protected:
  void open(darwinn::Executable e) {
    executable_ = std::move(e);
    DebugSource source;
    source.program = &executable_;
    source.raw = true;
    auto made = Debugger::make(source);
    ASSERT_TRUE(made.ok()) << to_text(made.error());
    debugger_ = std::move(*made);
    script_ = std::make_unique<DebugScript>(*debugger_);
  }
  std::string say(std::string_view line) {
    const auto said = script_->line(line);
    return said.ok() ? *said : "error: " + said.error().message;
  }

  darwinn::Executable executable_;
  std::unique_ptr<Debugger> debugger_;
  std::unique_ptr<DebugScript> script_;
};

TEST_F(DebuggerTest, StepsThroughTheScalarCore) {
  open(countdown());
  EXPECT_EQ(debugger_->number(), 0U);
  EXPECT_THAT(say("step 2"), HasSubstr("MOVI sx=1 imm=0x3"));
  EXPECT_EQ(debugger_->scalar().reg(1), 3U);
  EXPECT_EQ(debugger_->scalar().reg(2), 0U);
  EXPECT_THAT(say("registers"), HasSubstr("pc 0.2\ns1 0x3\n"));
  EXPECT_THAT(say("continue"), HasSubstr("ended after"));
  EXPECT_TRUE(debugger_->finished());
  EXPECT_EQ(debugger_->scalar().reg(1), 0U);
}

TEST_F(DebuggerTest, BreaksAndCounters) {
  open(countdown());
  EXPECT_EQ(say("break branch"), "break branch\n");
  for (int turn = 0; turn < 3; ++turn) EXPECT_THAT(say("continue"), HasSubstr("break branch"));
  EXPECT_EQ(debugger_->scalar().reg(1), 0U);
  EXPECT_THAT(say("breaks"), HasSubstr("0 break branch"));
  EXPECT_EQ(say("delete 0"), "");
  EXPECT_THAT(say("continue"), HasSubstr("ended"));

  open(countdown());
  say("until 0.4");
  EXPECT_EQ(debugger_->pc(), 4U);
  say("until steps 6");
  EXPECT_EQ(debugger_->steps(), 6U);
}

TEST_F(DebuggerTest, WatchesMemoryAndNamesTheWriter) {
  open(countdown());
  EXPECT_EQ(say("who scalar 20 4"), "scalar 0x14+4: no instruction has changed it\n");
  EXPECT_EQ(say("watch scalar 20 4"), "watch scalar 0x14+4\n");
  const std::string stopped = say("continue");
  EXPECT_THAT(stopped, HasSubstr("at 0x14 00000000 became 34120000"));
  EXPECT_EQ(debugger_->pc(), 4U);
  EXPECT_THAT(say("who scalar 20 4"), HasSubstr("scalar 0x14+4: step 4,"));
  EXPECT_THAT(say("show scalar 20 4"), HasSubstr("0x14: 34120000"));
  EXPECT_THAT(say("show scalar 16384 1"), HasSubstr("error: "));
  EXPECT_THAT(say("show narrow 16 0 1"), HasSubstr("error: there is no tile 16"));
}

TEST_F(DebuggerTest, TransfersAreListedAsTheyAreAskedFor) {
  darwinn::Executable e = countdown();
  ProgramBuilder b;
  b.op(ScalarOp::mov, 1, 0, 0).transfer(1, 1, 32, 1).transfer(1, 1, 0, 4);
  e.bitstreams[0].data = b.finish();
  open(std::move(e));
  EXPECT_EQ(say("transfers"), "nothing yet\n");
  say("continue");
  EXPECT_THAT(say("transfers"), HasSubstr("input, 32 bytes"));
  EXPECT_THAT(say("transfers"), HasSubstr("interrupt 0"));
}

TEST_F(DebuggerTest, MistakesAreSaid) {
  open(countdown());
  EXPECT_EQ(say("nonsense"), "error: there is no command 'nonsense'");
  EXPECT_EQ(say("step x"), "error: 'x' is not a number");
  EXPECT_THAT(say("break 999"), HasSubstr("is not a place of this program"));
  EXPECT_EQ(say("# a comment"), "");
  EXPECT_FALSE(script_->ended());
  say("quit");
  EXPECT_TRUE(script_->ended());
}

}  // namespace
}  // namespace edgetwin::edgetpu

#include "targets/edgetpu/machine/engines/output.h"

#include <gtest/gtest.h>

#include <cstring>

#include "targets/edgetpu/machine/steps/step.h"
#include "targets/edgetpu/program/trace.h"
#include "unit/targets/edgetpu/decompile/programs.h"
#include "unit/targets/edgetpu/isa/programs.h"

namespace edgetwin::edgetpu::machine {
namespace {

constexpr unsigned kRegister = 5;

Bytes words(const std::vector<uint32_t>& all) {
  Bytes bytes(all.size() * 4);
  std::memcpy(bytes.data(), all.data(), bytes.size());
  return bytes;
}

// The scalar core sends a word, an outfeed two, the scalar core one more.
darwinn::Executable sends_between() {
  ProgramBuilder b;
  const auto send = [&b](uint32_t word) {
    b.op(ScalarOp::mov, kRegister, 0, word);
    b.add(Assembly(Opcode::scalar).set("st", kStoreStream).set("streg", kRegister));
  };
  send(0x11);
  b.add(Assembly(Opcode::ring_send).set("tiles", 1).set("outfeed", 1));
  b.add(Assembly(Opcode::outfeed).set("host", 1).set("stream", 1));
  send(0x44);
  darwinn::Executable e;
  e.type = darwinn::ExecutableType::stand_alone;
  e.bitstreams.push_back({b.finish(), {}, {}});
  return e;
}

// Issue 17, DeepLab slim: scratch memory comes back while the scalar core sends words of its own.
// What the host has by then is counted in the order in which both send.
TEST(EdgetpuMachineOutput, WordsOfTheScalarCoreStandBetweenThoseOfOutfeeds) {
  const darwinn::Executable e = sends_between();
  const auto trace = trace_of(e, Buffers(e), 100);
  ASSERT_TRUE(trace.ok()) << to_text(trace.error());
  auto steps = make_steps(*trace, "test");
  ASSERT_TRUE(steps.ok()) << to_text(steps.error());
  ASSERT_EQ(steps->list.size(), 2U);
  Core core;
  core.begin(e, "test", std::move(*steps), {});
  // Before the outfeed ran, only the first word is known.
  const auto first = sent_so_far(core, 4);
  ASSERT_TRUE(first.has_value());
  EXPECT_EQ(*first, words({0x11}));
  EXPECT_FALSE(sent_so_far(core, 8).has_value());
  Step& outfeed = core.steps.list[1];
  outfeed.data = std::make_shared<const Bytes>(words({0x22, 0x33}));
  outfeed.done = true;
  const auto all = sent_so_far(core, 16);
  ASSERT_TRUE(all.has_value());
  EXPECT_EQ(*all, words({0x11, 0x22, 0x33, 0x44}));
  EXPECT_FALSE(sent_so_far(core, 17).has_value());
}

// Issue 17, DeepLab v3 pascal: the buffers of two bands lie one over the other. Who reads before
// the w2n that fills the buffer which begins there waits for that one.
TEST(EdgetpuMachineOutput, BuffersOfTwoBandsThatLieOneOverTheOther) {
  const auto own = [](int64_t buffer) {
    Assembly reader = tensor(1, {1, 16}, {800, {{4, 1}, {4, 16}}}, {4000, {{4, 1}, {4, 16}}});
    reader.set("in.switch_by", 64);
    Assembly feed = copy(Opcode::wide_to_narrow, 0x1, {2064, {}}, {buffer, {{1, 16}, {0, 4}}});
    feed.set("b.switch_by", 16);
    ProgramBuilder b;
    b.add(reader).add(feed);
    const Bytes program = b.finish();
    const auto steps = make_steps({ByteSpan(program)}, "test");
    EXPECT_TRUE(steps.ok()) << to_text(steps.error());
    return steps.ok() && steps->list.at(0).own_buffer;
  };
  EXPECT_TRUE(own(200));
  EXPECT_FALSE(own(190));  // it begins in front of what is read
  EXPECT_FALSE(own(210));  // another one's
}

}  // namespace
}  // namespace edgetwin::edgetpu::machine

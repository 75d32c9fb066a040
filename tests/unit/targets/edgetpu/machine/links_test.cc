// Which lines of wide memory an instruction reads in place, and which are buffers that are filled
// again.
#include <gtest/gtest.h>

#include "targets/edgetpu/machine/steps/step.h"

namespace edgetwin::edgetpu::machine {
namespace {

void add(Bytes& program, const Assembly& a) {
  program.insert(program.end(), a.bytes().begin(), a.bytes().end());
}

Assembly sent(uint32_t from, uint32_t to, int64_t line, int64_t lines) {
  Assembly a(Opcode::ring_send);
  a.set("tiles", from).set("destination", to).set("a.start", static_cast<uint64_t>(line));
  return a.set("a.step", 1).set("a.count", static_cast<uint64_t>(lines - 1)).set("a.levels", 1);
}

Assembly received(uint32_t tile, int64_t line, int64_t lines) {
  Assembly a(Opcode::ring_receive);
  a.set("tiles", tile).set("a.start", static_cast<uint64_t>(line)).set("a.step", 1);
  return a.set("a.count", static_cast<uint64_t>(lines - 1)).set("a.levels", 1);
}

Assembly stored(uint32_t tile, int64_t line, int64_t lines) {
  Assembly a(Opcode::wide_to_narrow);
  a.set("tiles", tile).set("a.start", static_cast<uint64_t>(line)).set("a.step", 1);
  a.set("a.count", static_cast<uint64_t>(lines - 1)).set("a.levels", 1);
  a.set("b.step", 1).set("b.count", static_cast<uint64_t>(64 * lines - 1)).set("b.levels", 1);
  return a.set("flush_level", 1);
}

// A tile gets lines of two others one after the other and stores the second ones; elsewhere in the
// program the same lines are buffers that are filled by turns. A large network stood still, since
// the second ones were taken for these.
TEST(EdgetpuMachineLinks, LinesAmongOthersThatTheRingBroughtAreReadInPlace) {
  Bytes program;
  add(program, received(0x4, 1900, 38));
  add(program, sent(0x1, 0x4, 1800, 19));
  add(program, sent(0x2, 0x4, 1800, 19));
  add(program, stored(0x4, 1919, 19));
  Assembly buffers = received(0xFFFF, 1910, 16);
  buffers.set("a.count", 3, 1).set("a.switch_level", 1).set("a.switch_by", 16);
  add(program, buffers);
  add(program, sent(0x1, 0xFFFF, 1800, 64));
  const auto steps = make_steps({ByteSpan(program)}, "test");
  ASSERT_TRUE(steps.ok()) << to_text(steps.error());
  ASSERT_EQ(steps->list.size(), 6u);
  EXPECT_TRUE(steps->list[4].a.streamed());
  EXPECT_FALSE(steps->list[3].a.streamed());
}

// Weights in the midst of a block that the ring brings in place; a layer before it had a buffer
// that began at just their line. MobileNet v3 stood still, since they were taken for that buffer.
TEST(EdgetpuMachineLinks, WeightsOfABlockInPlaceAreNoBufferOfALayerBefore) {
  for (const bool block : {true, false}) {
    Bytes program;
    Assembly buffer = received(0x1, 2020, 30);
    add(program, buffer.set("a.switch_level", 1).set("a.switch_by", 30));
    add(program, sent(0x2, 0x1, 1800, 30));
    if (block) {
      add(program, received(0x1, 2017, 63));
      add(program, sent(0x2, 0x1, 1800, 63));
    }
    Assembly layer(Opcode::tensor);
    layer.set("tiles", 1).set("kind", 0x38).set("weight.start", uint64_t{4} * 2020);
    add(program, layer.set("weight.step", 4).set("weight.count", 59).set("weight.levels", 1));
    const auto steps = make_steps({ByteSpan(program)}, "test");
    ASSERT_TRUE(steps.ok()) << to_text(steps.error());
    EXPECT_EQ(steps->list.back().weight.streamed(), !block);
  }
}

}  // namespace
}  // namespace edgetwin::edgetpu::machine

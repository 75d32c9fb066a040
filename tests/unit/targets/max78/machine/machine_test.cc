// The machine on programs of a few registers: what it computes and what it notices.
#include "targets/max78/machine/machine.h"

#include <gtest/gtest.h>

#include <set>

#include "targets/max78/chip/regs.h"
#include "targets/max78/machine/player/play.h"
#include "targets/max78/machine/state/finding_list.h"

namespace edgetwin::max78 {
namespace {

constexpr uint32_t kOut = 0x400;  // words: where layer 0 writes

// A layer of one 1x1 kernel over four channels of 2x2 pixels on a MAX78000, group 0.
class Bench {
 public:
  explicit Bench(const MachineOptions& options = {}) : machine(Device::max78000, options) {}

  const Limits& chip() const { return machine.chip(); }
  void put(LayerReg reg, uint32_t value, int layer = 0) {
    machine.write32(address(chip(), reg, 0, layer), value);
  }
  void control(uint32_t value) { machine.write32(address(chip(), GlobalReg::ctl, 0), value); }

  void layer(int n, uint32_t from, uint32_t to) {
    put(LayerReg::rcnt, 1, n);
    put(LayerReg::ccnt, 1, n);
    put(LayerReg::oned, 0x100, n);
    put(LayerReg::rptr_base, from, n);
    put(LayerReg::wptr_base, to, n);
    put(LayerReg::wptr_moffs, 0x2000, n);
    put(LayerReg::lctl, 0x920, n);
    put(LayerReg::ena, 0x000f000f, n);
  }
  void kernels() {
    for (int p = 0; p < 4; ++p) {
      const uint32_t at = chip().kernel_address(p, 0);
      machine.write32(at, 0);
      machine.write32(at + 4, 0);
      machine.write32(at + 8, 64);
      machine.write32(at + 12, 0);
    }
  }
  void input(uint32_t words = 4) {
    for (uint32_t i = 0; i < words; ++i) {
      machine.write32(chip().data_address(0) + 4 * i, 0x281e140aU + i);
    }
  }
  void all() {
    control(0x8);
    kernels();
    layer(0, 0, kOut);
    input();
  }
  MachineState start() {
    control(0x9);
    return machine.run();
  }
  uint32_t out(uint32_t i) { return machine.peek32(chip().data_address(0) + 4 * (kOut + i)); }
  bool noticed(MachineEvent event) const {
    for (const Finding& f : machine.findings()) {
      if (f.id == info(event).id) return true;
    }
    return false;
  }

  Machine machine;
};

TEST(Max78Machine, Computes) {
  Bench b({.keep_sums = true});
  b.all();
  EXPECT_EQ(b.machine.state(), MachineState::idle);
  EXPECT_EQ(b.start(), MachineState::finished);
  // (10 + i + 20 + 30 + 40) * 64 / 128, halves up.
  for (uint32_t i = 0; i < 4; ++i) EXPECT_EQ(b.out(i) & 0xffU, 50 + (i + 1) / 2) << i;
  EXPECT_TRUE(b.machine.findings().empty());
  EXPECT_TRUE(b.machine.interrupt());
  const uint32_t address = b.chip().data_address(0) + 4 * (kOut + 3);
  const WordOrigin o = b.machine.origin(address);
  EXPECT_EQ(o.writer, 0);
  EXPECT_EQ(o.row, 1);
  EXPECT_EQ(o.column, 1);
  EXPECT_EQ(o.channels[0], 0);
  EXPECT_EQ(o.channels[1], -1);
  EXPECT_EQ(b.machine.accumulator(address, 0), 103 * 64);
  EXPECT_EQ(b.machine.accumulator(address, 1), std::nullopt);
  // The acknowledge, and a second run over another input.
  b.control(b.machine.read32(b.chip().group(0)) & ~0x1001U);
  EXPECT_FALSE(b.machine.interrupt());
  b.machine.write32(b.chip().data_address(0), 0x281e1414U);
  EXPECT_EQ(b.start(), MachineState::finished);
  EXPECT_EQ(b.out(0) & 0xffU, 55U);
}

TEST(Max78Machine, StepsOfARunAreTheCallers) {
  Bench b;
  b.all();
  b.control(0x9);
  EXPECT_EQ(b.machine.run(1), MachineState::running);
  EXPECT_TRUE(b.machine.running());
  EXPECT_EQ(b.machine.run(), MachineState::finished);
}

TEST(Max78Machine, ReadsWhatWasNeverWritten) {
  Bench b;
  b.control(0x8);
  b.kernels();
  b.layer(0, 0, kOut);
  b.input(3);
  EXPECT_EQ(b.start(), MachineState::finished);
  ASSERT_TRUE(b.noticed(MachineEvent::never_written));
  EXPECT_EQ(b.machine.findings()[0].place.address, b.chip().data_address(0) + 12);
  EXPECT_EQ(b.machine.findings()[0].count, 1U);
}

TEST(Max78Machine, KernelsThatWereNeverLoaded) {
  Bench b;
  b.control(0x8);
  b.layer(0, 0, kOut);
  b.input();
  EXPECT_EQ(b.start(), MachineState::finished);
  EXPECT_TRUE(b.noticed(MachineEvent::kernel_not_loaded));
}

TEST(Max78Machine, KernelsBeyondTheMemory) {
  Bench b;
  b.all();
  b.put(LayerReg::mcnt, 0xfff8fff8U);
  EXPECT_EQ(b.start(), MachineState::finished);
  EXPECT_TRUE(b.noticed(MachineEvent::kernel_outside));
}

// A layer writes over the input that it still needs.
TEST(Max78Machine, OverwritesItsInput) {
  Bench b;
  b.all();
  b.put(LayerReg::wptr_base, 1);
  EXPECT_EQ(b.start(), MachineState::finished);
  ASSERT_TRUE(b.noticed(MachineEvent::overwritten));
  EXPECT_EQ(b.machine.findings()[0].place.other_layer, kHost);
  EXPECT_EQ(b.machine.findings()[0].place.step, 2U);
}

// Layer 1 writes into the result of layer 0 that layer 2 reads.
TEST(Max78Machine, FindsAResultThatAnotherLayerReplaced) {
  Bench b;
  b.all();
  b.machine.write32(address(b.chip(), GlobalReg::lcnt_max, 0), 2);
  b.layer(1, 0, kOut + 3);
  b.layer(2, kOut, 0x600);
  EXPECT_EQ(b.start(), MachineState::finished);
  ASSERT_TRUE(b.noticed(MachineEvent::overwritten));
  const Finding& f = b.machine.findings().back();
  EXPECT_EQ(f.place.layer_number, 2);
  EXPECT_EQ(f.place.other_layer, 1);
  EXPECT_EQ(f.place.address, b.chip().data_address(0) + 4 * (kOut + 3));
  const auto inputs = b.machine.inputs_of(2);
  ASSERT_EQ(inputs.size(), 2U);
  EXPECT_EQ(inputs[0].writer, 0);
  EXPECT_EQ(inputs[0].words, 3U);
  EXPECT_EQ(inputs[1].words, 1U);
}

TEST(Max78Machine, GroupsThatAreNotEnabled) {
  Bench b;
  b.all();
  b.machine.write32(address(b.chip(), LayerReg::ena, 1, 0), 0x00010001);
  EXPECT_EQ(b.start(), MachineState::finished);
  EXPECT_TRUE(b.noticed(MachineEvent::group_not_enabled));
}

TEST(Max78Machine, AddressesThatDoNotExist) {
  Bench b;
  b.machine.write32(0x60000000, 1);
  b.machine.write32(0x50100002, 1);
  b.machine.write8(b.chip().data_address(0), 1);
  EXPECT_TRUE(b.noticed(MachineEvent::unmapped_write));
  EXPECT_EQ(b.machine.findings()[0].count, 2U);
  EXPECT_TRUE(b.noticed(MachineEvent::byte_write));
  EXPECT_EQ(b.machine.read32(0x60000000), 0U);
  EXPECT_TRUE(b.noticed(MachineEvent::unmapped_read));
  EXPECT_FALSE(b.machine.maps(0x60000000));
  EXPECT_TRUE(b.machine.maps(0x50400000));
}

TEST(Max78Machine, NeverStarted) {
  Bench b;
  b.all();
  b.machine.end_of_input();
  EXPECT_TRUE(b.noticed(MachineEvent::not_started));
}

TEST(Max78Machine, ALayerWithoutAnythingIsRefused) {
  Bench b;
  b.control(0x8);
  EXPECT_EQ(b.start(), MachineState::stuck);
  EXPECT_TRUE(b.noticed(MachineEvent::bad_register));
}

TEST(Max78Machine, StopsAtItsLimit) {
  Bench b({.step_limit = 3});
  b.all();
  EXPECT_EQ(b.start(), MachineState::step_limit);
  EXPECT_TRUE(b.noticed(MachineEvent::limit_reached));
}

// The frame comes word by word; the layer begins when it is whole.
TEST(Max78Machine, TakesWordsFromAFifo) {
  Bench b;
  b.control(0x8);
  b.kernels();
  b.layer(0, 0, kOut);
  b.machine.write32(address(b.chip(), GlobalReg::ifrm, 0), 4);
  b.machine.write32(kFifoBase, 0x1108);
  b.control(0x8809);
  EXPECT_EQ(b.machine.run(), MachineState::waiting);
  for (uint32_t i = 0; i < 4; ++i) {
    EXPECT_FALSE(b.machine.fifo_full(0));
    EXPECT_FALSE(b.machine.interrupt());
    b.machine.write32(kFifoBase + 8, 0x281e140aU);
    b.machine.run();
  }
  EXPECT_EQ(b.machine.state(), MachineState::finished);
  EXPECT_EQ(b.out(3) & 0xffU, 50U);
  b.machine.write32(kFifoBase + 12, 1);  // FIFO 1 is off
  EXPECT_TRUE(b.noticed(MachineEvent::fifo_overflow));
}

TEST(Max78Machine, TheHookSeesEveryWord) {
  Bench b;
  b.all();
  std::vector<uint32_t> written;
  int begun = 0, ended = 0;
  b.machine.set_hook([&](const MachineStep& s) {
    if (s.kind == MachineStep::Kind::write) written.push_back(s.address);
    begun += s.kind == MachineStep::Kind::layer_begins ? 1 : 0;
    ended += s.kind == MachineStep::Kind::layer_ends ? 1 : 0;
  });
  b.start();
  EXPECT_EQ(begun, 1);
  EXPECT_EQ(ended, 1);
  ASSERT_EQ(written.size(), 4U);
  EXPECT_EQ(written[0], b.chip().data_address(0) + 4 * kOut);
}

TEST(Max78Events, AreATable) {
  for (const RuleInfo& e : all_events()) {
    EXPECT_TRUE(e.id.starts_with("MAX78-RUN-")) << e.id;
    EXPECT_TRUE(e.title.ends_with('.')) << e.id;
  }
  EXPECT_EQ(info(MachineEvent::memory_test).id, "MAX78-RUN-28");
}

}  // namespace
}  // namespace edgetwin::max78

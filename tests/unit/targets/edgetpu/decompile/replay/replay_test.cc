#include "targets/edgetpu/decompile/replay/replay.h"

#include <gtest/gtest.h>

#include "unit/targets/edgetpu/decompile/programs.h"

namespace edgetwin::edgetpu {
namespace {

constexpr Owner stage(int index) { return kFirstStage + index; }

Replay replayed(const std::vector<Assembly>& instructions) {
  const darwinn::Executable e = program(instructions);
  auto r = replay(e, {});
  EXPECT_TRUE(r.ok()) << (r.ok() ? "" : r.error().message);
  return r.ok() ? std::move(*r) : Replay{};
}

// A convolution of one by one from four channels to four over 16 pixels, with another multiplier
// for every layer.
Assembly layer(int64_t from, int64_t to, uint32_t number, uint32_t tiles = 1) {
  Assembly a = tensor(tiles, {1, 16}, {from, {{4, 1}, {4, 16}}}, {to, {{4, 1}, {4, 16}}});
  a.set("multiplier", 0x3C000000 + number);
  return a;
}

TEST(Replay, AStageReadsWhatTheOneBeforeWrote) {
  const Replay r = replayed({layer(0, 400, 1), layer(400, 800, 2)});
  ASSERT_EQ(r.stages.size(), 2U);
  EXPECT_EQ(r.stages[0].inputs[0], (Votes{{kInput, 16}}));
  EXPECT_EQ(r.stages[1].inputs[0], (Votes{{stage(0), 16}}));
}

// Two buffers that take turns: the store that feeds them stands after the instruction that reads.
TEST(Replay, BuffersAreFedByStoresBehindTheirReader) {
  Assembly reader = layer(800, 1200, 3);
  reader.set("in.switch_by", 64);
  Assembly feed = copy(Opcode::wide_to_narrow, 0x1, {2064, {}}, {200, {{1, 16}, {0, 4}}});
  feed.set("b.switch_by", 16);
  // The first layer leaves its results where the buffers are.
  const Replay r = replayed({layer(0, 800, 1), reader, Assembly(Opcode::infeed), feed});
  ASSERT_EQ(r.stages.size(), 2U);
  EXPECT_EQ(r.stages[1].inputs[0], (Votes{{kInput, 16}}));
}

TEST(Replay, ABandWaitsInWideMemory) {
  const Replay r = replayed({
      layer(0, 400, 1),
      copy(Opcode::narrow_to_wide, 0x1, {100, {{1, 16}}}, {1900, {}}),
      layer(0, 400, 2),  // the same place again
      copy(Opcode::wide_to_narrow, 0x1, {1900, {}}, {500, {{1, 16}}}),
      layer(2000, 3000, 3),
  });
  ASSERT_EQ(r.stages.size(), 3U);
  EXPECT_EQ(r.stages[2].inputs[0], (Votes{{stage(0), 16}}));
}

// Parameters that arrive in the same lines end the wait.
TEST(Replay, LinesThatTheRingFillsHoldNoBand) {
  const Replay r = replayed({
      layer(0, 400, 1),
      copy(Opcode::narrow_to_wide, 0x1, {100, {{1, 16}}}, {1900, {}}),
      layer(0, 400, 2),
      copy(Opcode::ring_receive, 0x1, {1898, {{1, 4}}}, {}),
      copy(Opcode::wide_to_narrow, 0x1, {1900, {}}, {500, {{1, 16}}}),
      layer(2000, 3000, 3),
  });
  EXPECT_EQ(r.stages[2].inputs[0], (Votes{{kInput, 16}}));
}

// Scales and biases go to registers: no word of narrow memory changes.
TEST(Replay, NumbersOfChannelsAreNoData) {
  Assembly numbers = copy(Opcode::wide_to_narrow, 0x1, {2042, {}}, {100, {{1, 16}}});
  numbers.set("numbers", 1);
  const Replay r = replayed({layer(0, 400, 1), numbers, layer(400, 800, 2)});
  EXPECT_EQ(r.stages[1].inputs[0], (Votes{{stage(0), 16}}));
}

// Issue 17, DeepLab slim: what came from the left goes on downwards, and from there to the left
// again, so that one direction reads what another brought before.
TEST(Replay, DirectionsOfTheMeshThatReadWhatOthersBrought) {
  const Side from{100, {{1, 16}}};
  const Side first{200, {{1, 16}}};
  const Side second{300, {{1, 16}}};
  const Side third{500, {{1, 16}}};
  const Replay r = replayed({
      layer(0, 400, 1, 0x2),
      // Tiles 1, 0, 4, and 5 at last.
      copy(Opcode::move_left, 0x2, from, {}),
      copy(Opcode::move_left, 0x1, {}, first),
      copy(Opcode::move_down, 0x1, first, {}),
      copy(Opcode::move_down, 0x10, {}, second),
      copy(Opcode::move_right, 0x10, second, {}),
      copy(Opcode::move_right, 0x20, {}, third),
      copy(Opcode::move_left, 0x20, third, {}),
      copy(Opcode::move_left, 0x10, {}, from),
      layer(400, 3000, 2, 0x10),
  });
  ASSERT_EQ(r.stages.size(), 2U);
  EXPECT_EQ(r.stages[1].inputs[0], (Votes{{stage(0), 16}}));
}

darwinn::DmaHint transfer(darwinn::BaseAddress base, darwinn::Direction direction) {
  darwinn::DmaHint h;
  h.kind = darwinn::HintKind::descriptor;
  h.meta.base = base;
  h.direction = direction;
  h.size = 64;
  return h;
}

// Results that do not fit wait in the host's memory.
TEST(Replay, WhatTheHostReturnsIsWhoseItWas) {
  const auto down = darwinn::Direction::to_device;
  const auto up = darwinn::Direction::from_device;
  const std::vector<Assembly> instructions{
      Assembly(Opcode::infeed),
      copy(Opcode::wide_to_narrow, 0x1, {2064, {}}, {0, {{1, 16}}}),
      Assembly(Opcode::param).set("kind", 1).set("tiles", 1),
      layer(0, 400, 1),
      copy(Opcode::narrow_to_wide, 0x1, {100, {{1, 16}}}, {2070, {}}),
      Assembly(Opcode::outfeed),
      layer(0, 400, 2),
      Assembly(Opcode::infeed),
      copy(Opcode::wide_to_narrow, 0x1, {2064, {}}, {500, {{1, 16}}}),
      Assembly(Opcode::param).set("kind", 1).set("tiles", 1),
      layer(2000, 3000, 3),
  };
  darwinn::Executable e = program(instructions);
  e.dma_hints.emplace();
  e.dma_hints->hints = {transfer(darwinn::BaseAddress::input, down),
                        transfer(darwinn::BaseAddress::scratch, up),
                        transfer(darwinn::BaseAddress::scratch, down)};
  auto r = replay(e, {});
  ASSERT_TRUE(r.ok());
  ASSERT_EQ(r->stages.size(), 3U);
  EXPECT_EQ(r->stages[0].inputs[0], (Votes{{kInput, 16}}));
  EXPECT_EQ(r->stages[2].inputs[0], (Votes{{stage(0), 16}}));
  // Without the transfers nobody knows.
  e.dma_hints.reset();
  r = replay(e, {});
  EXPECT_EQ(r->stages[2].inputs[0], (Votes{{kInput, 16}}));
}

Assembly fill(int64_t word, uint32_t pattern) {
  return copy(Opcode::move_up, 0x1, {}, {word, {}}).set("fill", 1).set("pattern", pattern);
}

Assembly addition(int64_t from, int64_t to, uint32_t line) {
  return tensor(0x1, {2, 2, 16}, {from, {{4, 2}, {64, 2}, {4, 16}}}, {to, {{4, 1}, {4, 16}}}, 0xB0)
      .set("weight.start", 4 * line);
}

// Weights of an addition stay in wide memory for the next one.
TEST(Replay, AdditionsFindTheirWeightsInTheirLines) {
  const Replay r = replayed({
      fill(1000, 21),
      copy(Opcode::narrow_to_wide, 0x1, {1000, {}}, {2070, {}}),
      fill(1000, 34),
      copy(Opcode::narrow_to_wide, 0x1, {1000, {}}, {2074, {}}),
      addition(0, 400, 2074),
      addition(400, 800, 2070),
      addition(800, 1200, 2074).set("multiplier", 7),
  });
  ASSERT_EQ(r.stages.size(), 3U);
  EXPECT_EQ(r.stages[0].patterns, std::vector<uint32_t>{34});
  EXPECT_EQ(r.stages[1].patterns, std::vector<uint32_t>{21});
  EXPECT_EQ(r.stages[2].patterns, std::vector<uint32_t>{34});
}

}  // namespace
}  // namespace edgetwin::edgetpu

#include "targets/edgetpu/isa/counters.h"

#include <gtest/gtest.h>

namespace edgetwin::edgetpu {
namespace {

Instruction only(const Assembly& a, Opcode opcode) { return {&info(opcode), 0, a.bytes()}; }

TEST(EdgetpuCounters, WaitsAndCountsOfAMoveAreInItsText) {
  Assembly move(Opcode::move_down);
  move.set("wait.counter", 6, 0).set("wait.level", 2, 0).set("wait.start", 3, 0);
  move.set("wait.step", 2, 0).set("wait.valid", 1, 0);
  move.set("wait.counter", 0, 1).set("wait.start", 0xFFFF, 1).set("wait.step", 1, 1);
  move.set("wait.valid", 1, 1).set("wait.side", 1, 1);
  move.set("counts.out", 1).set("counts.out.level", 1);
  const Instruction i = only(move, Opcode::move_down);
  EXPECT_EQ(describe_waits(i),
            "wait W_IN >= 3 + 2n at level 2, wait AVDATA >= -1 + n at level 0 of b, "
            "count S_OUT at level 1");
  const auto waits = watchers_of(i);
  ASSERT_EQ(waits.size(), 2U);
  EXPECT_EQ(waits[1].start, -1);
  EXPECT_EQ(waits[1].side, EngineSide::b);
}

TEST(EdgetpuCounters, OtherFieldsChooseTheCounter) {
  Assembly numbers(Opcode::wide_to_narrow);
  numbers.set("counts.wide_to_narrow", 1);
  EXPECT_EQ(name(producers_of(only(numbers, Opcode::wide_to_narrow))[0].counter), "WIDE_TO_NARROW");
  numbers.set("numbers", 1);
  EXPECT_EQ(name(producers_of(only(numbers, Opcode::wide_to_narrow))[0].counter),
            "WIDE_TO_SCALING");
  Assembly param(Opcode::param);
  param.set("kind", 2).set("counts.producer", 1).set("counts.infeed", 1);
  const auto counts = producers_of(only(param, Opcode::param));
  ASSERT_EQ(counts.size(), 2U);
  EXPECT_EQ(name(counts[0].counter), "RING_PRODUCER_A");
  EXPECT_EQ(name(counts[1].counter), "SCALAR_INFEED");
}

TEST(EdgetpuCounters, TileSyncNamesEnginesAndCounters) {
  Assembly sync(Opcode::tile_sync);
  sync.set("idle", 0x3FF).set("set", 0x1).set("value", 0).set("tell", 1);
  EXPECT_EQ(describe_waits(only(sync, Opcode::tile_sync)),
            "wait for all engines, set AVDATA to 0, tell the scalar core");
  Assembly one(Opcode::tile_sync);
  one.set("idle", 0x20);
  EXPECT_EQ(idle_engines(only(one, Opcode::tile_sync)), 1U << tile_engine(Opcode::narrow_to_wide));
  // The order of four bits is not known: each of them means all four.
  Assembly unsure(Opcode::tile_sync);
  unsure.set("idle", 0x2);
  EXPECT_EQ(idle_engines(only(unsure, Opcode::tile_sync)), 0x2EU);
}

}  // namespace
}  // namespace edgetwin::edgetpu

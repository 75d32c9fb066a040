// What tiles exchange at the same time.
#include <gtest/gtest.h>

#include "targets/edgetpu/sync/sync.h"
#include "unit/targets/edgetpu/compile/on_chip.h"
#include "unit/targets/edgetpu/compile/random_networks.h"

namespace edgetwin::edgetpu::compiler {
namespace {

// Of the timed machine; -1: it is not one program.
int64_t steps_of(const Graph& graph) {
  const Partition p = partition_of(graph);
  if (p.groups.size() != 1) return -1;
  auto machine = sync::SyncMachine::make(p.groups[0].package, {});
  if (!machine.ok()) return -1;
  const std::vector<Bytes> inputs = noise_for(graph);
  if (!machine->run({inputs.begin(), inputs.end()}).ok()) return -1;
  return machine->report().time;
}

// Most words of a picture go to other tiles: one after the other they would take 12,544 steps.
TEST(EdgetpuTransfers, TilesFetchAndStoreAtTheSameTime) {
  RandomNetwork net(2);
  const ValueId made = net.window(net.input(32, 32, 64), 64, 1, 1, 1, true, false);
  const Graph whole = net.finish(made);
  const Graph part = net.finish(net.cut(made, {0, 3, 3, 0}, {1, 28, 28, 64}));
  expect_proven(part);
  const int64_t before = steps_of(whole), after = steps_of(part);
  ASSERT_GT(before, 0);
  ASSERT_GT(after, 0);
  constexpr int64_t kLess = (32 * 32 - 28 * 28) * 64;  // bytes that leave the chip, a step each
  EXPECT_LT(after, before - kLess + 6'000);
}

}  // namespace
}  // namespace edgetwin::edgetpu::compiler

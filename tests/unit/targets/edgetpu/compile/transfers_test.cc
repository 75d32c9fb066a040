// What tiles exchange at the same time, and outputs that leave beside a convolution.
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

// The result of the first layer leaves while the second one is computed.
TEST(EdgetpuTransfers, AnOutputLeavesBesideTheNextConvolution) {
  for (uint32_t seed = 1; seed < 6; ++seed) {
    RandomNetwork net(seed);
    const ValueId x = net.input(16, 16, 32);
    const ValueId a = net.window(x, 48, 1, 1, 1, true, false);
    const ValueId b = net.window(x, 64, 1, 1, 1, true, false);
    const ValueId c = net.window(x, 20, 3, 1, 1, true, false);
    Graph graph = net.finish(a);
    graph.outputs = {a, b, c};
    expect_proven(graph);
  }
}

// Channels of the mean go to the tiles that sum them; fully connected layers of one block have
// tiles of their own.
TEST(EdgetpuTransfers, MeansInGroupsAndLayersInTheirTiles) {
  RandomNetwork net(4);
  const ValueId x = net.input(6, 6, 64);
  const ValueId wide = net.window(x, 768, 1, 1, 1, true, false);
  expect_proven(net.finish(net.dense(net.average(wide), 10)));
  // What waits reaches lines in which layers have their buffers.
  RandomNetwork many(6);
  const ValueId z = many.window(many.input(7, 7, 64), 1024, 1, 1, 1, true, false);
  expect_proven(many.finish(many.average(z)));
  RandomNetwork two(5);
  const ValueId y = two.input(8, 8, 64);
  const ValueId first = two.dense(y, 3), second = two.dense(y, 5);
  Graph graph = two.finish(first);
  graph.outputs = {first, second};
  expect_proven(graph);
}

}  // namespace
}  // namespace edgetwin::edgetpu::compiler

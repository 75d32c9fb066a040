// Pictures whose positions or channels change places between layers: copies do it, no instruction
// says so. They come back as the operator that their places tell.
#include <algorithm>

#include "unit/targets/edgetpu/compile/read_back.h"

namespace edgetwin::edgetpu::compiler {
namespace {

// A picture between two convolutions, changed by `move`.
template <class Move>
Graph between(int h, int w, int channels, Move&& move) {
  FamilyNetwork net(Trained::any, 5);
  const ValueId at = net.conv(net.input(h, w, 4), channels, 3);
  return net.finish(net.conv(move(net, at), 8, 3));
}

void expect_operator(const Graph& graph, OpKind kind) {
  expect_all(graph, 2);
  expect_same_bytes(graph);
  const auto back = decompiled_of(graph);
  ASSERT_TRUE(back.ok()) << to_text(back.error());
  const auto& ops = back->model.main().ops;
  const bool there = std::ranges::any_of(ops, [&](const Op& op) { return op.kind == kind; });
  EXPECT_TRUE(there);
}

TEST(EdgetpuDecompileMoves, RowsAndColumnsThatChangePlaces) {
  const auto turn = [](FamilyNetwork& net, ValueId at) { return net.transpose(at); };
  expect_operator(between(12, 20, 8, turn), OpKind::transpose);
  expect_operator(between(9, 7, 5, turn), OpKind::transpose);
  // Of a square only the places tell it.
  expect_operator(between(16, 16, 8, turn), OpKind::transpose);
}

TEST(EdgetpuDecompileMoves, RowsOfAnotherLength) {
  const auto longer = [](FamilyNetwork& net, ValueId at) {
    return net.reshape(at, {1, 20, 12, 8});
  };
  expect_operator(between(12, 20, 8, longer), OpKind::reshape);
}

TEST(EdgetpuDecompileMoves, BlocksToChannelsAndBack) {
  const auto deeper = [](FamilyNetwork& net, ValueId at) {
    return net.blocks(OpKind::space_to_depth, at, 2);
  };
  expect_operator(between(12, 16, 8, deeper), OpKind::space_to_depth);
  const auto wider = [](FamilyNetwork& net, ValueId at) {
    return net.blocks(OpKind::depth_to_space, at, 2);
  };
  expect_operator(between(6, 10, 16, wider), OpKind::depth_to_space);
}

TEST(EdgetpuDecompileMoves, PartsOfAPicture) {
  const auto part = [](FamilyNetwork& net, ValueId at) {
    return net.cut(at, {0, 1, 2, 0}, {1, 9, 11, 8});
  };
  expect_operator(between(12, 16, 8, part), OpKind::slice);
  const auto every_second = [](FamilyNetwork& net, ValueId at) {
    return net.strided(at, {1, 0, 0}, {5, 8, 8}, {2, 2, 1});
  };
  expect_operator(between(12, 16, 8, every_second), OpKind::strided_slice);
}

TEST(EdgetpuDecompileMoves, PositionsThatAreRepeated) {
  const auto twice = [](FamilyNetwork& net, ValueId at) { return net.nearest(at, 2, 2); };
  expect_operator(between(6, 8, 8, twice), OpKind::resize_nearest_neighbor);
  const auto beside = [](FamilyNetwork& net, ValueId at) {
    return net.join_along(2, {at, at}, true);
  };
  expect_operator(between(6, 8, 8, beside), OpKind::concatenation);
}

TEST(EdgetpuDecompileMoves, LayersWithoutAWindow) {
  for (const bool cut : {false, true}) {
    FamilyNetwork net(Trained::any, 5);
    const ValueId at = net.conv(net.input(12, 16, 4), 8, 3);
    const ValueId moved = cut ? net.cut(at, {0, 1, 2, 0}, {1, 9, 11, 8}) : net.nearest(at, 2, 2);
    const Graph graph = net.finish(net.logistic(moved));
    expect_all(graph, 2);
    expect_same_bytes(graph);
  }
}

TEST(EdgetpuDecompileMoves, AfterTheLastLayer) {
  FamilyNetwork net(Trained::any, 5);
  const Graph graph = net.finish(net.transpose(net.conv(net.input(13, 10, 4), 20, 3)));
  expect_all(graph, 1);
  expect_same_bytes(graph);
}

// After a product with a constant, rows of another length are the host's alone.
TEST(EdgetpuDecompileMoves, LastRowsStay) {
  FamilyNetwork net(Trained::any, 5);
  const Shape longer{1, 20, 12, 8};
  const ValueId at = net.reshape(net.conv(net.input(12, 20, 4), 8, 3), longer);
  const Graph graph = net.finish(net.product(at, net.noise(longer)));
  expect_same_bytes(graph);
  const auto back = decompiled_of(graph);
  ASSERT_TRUE(back.ok()) << to_text(back.error());
  const Graph& main = back->model.main();
  const auto found = std::ranges::find(main.ops, OpKind::mul, &Op::kind);
  ASSERT_NE(found, main.ops.end());
  EXPECT_EQ(main.value(found->inputs[0]).shape, (Shape{1, 12, 20, 8}));
}

// What a tile writes in bands lies in no order that its places tell.
TEST(EdgetpuDecompileMoves, BandsStayInTheirOrder) {
  FamilyNetwork net(Trained::any, 5);
  const ValueId at = net.conv(net.input(178, 242, 3), 24, 3, 2);
  const ValueId wide = net.conv(net.deep(at, 3, 1), 48);
  const Graph graph = net.finish(net.conv(net.deep(wide, 3, 2), 96));
  expect_all(graph, 5);
  const auto back = decompiled_of(graph);
  ASSERT_TRUE(back.ok()) << to_text(back.error());
  for (const Op& op : back->model.main().ops) EXPECT_NE(op.kind, OpKind::gather);
}

TEST(EdgetpuDecompileMoves, AfterAProduct) {
  FamilyNetwork net(Trained::any, 5);
  const ValueId at = net.conv(net.input(19, 16, 4), 72);
  const Graph graph = net.finish(net.logistic(net.transpose(net.product(at, net.conv(at, 72)))));
  expect_all(graph, 4);
  expect_same_bytes(graph);
}

// Rows that lie across several of those that were computed.
TEST(EdgetpuDecompileMoves, AResizeOfRowsOfAnotherLength) {
  FamilyNetwork net(Trained::any, 5);
  const ValueId at = net.reshape(net.conv(net.input(31, 4, 4), 4), {1, 4, 31, 4});
  const Graph graph = net.finish(net.doubled(at));
  expect_all(graph, 2);
  expect_same_bytes(graph);
}

// Parts of the channels were computed one after the other at the same places: a sum does not read
// one of them four times.
TEST(EdgetpuDecompileMoves, ASumOfBlocksIsNoSumOfALargerPicture) {
  FamilyNetwork net(Trained::any, 7253);
  const ValueId small = net.conv(net.deep(net.input(21, 24, 3), 5, 2), 12, 3);
  const ValueId wide = net.blocks(OpKind::depth_to_space, small, 2);
  const Graph graph = net.finish(net.sum(wide, net.conv(wide, 3)));
  const auto back = decompiled_of(graph);
  ASSERT_TRUE(back.ok()) << to_text(back.error());
  if (back->complete()) expect_same_bytes(graph);
  for (const Op& op : back->model.main().ops) {
    EXPECT_NE(op.kind, OpKind::resize_nearest_neighbor);
  }
}

// Tiles of one position each show neither stride nor padding; which words they read does.
TEST(EdgetpuDecompileMoves, StridesOverSmallPictures) {
  for (const int side : {5, 6, 7}) {
    for (const int kernel : {3, 5}) {
      SCOPED_TRACE(std::to_string(side) + " / " + std::to_string(kernel));
      FamilyNetwork net(Trained::any, 5);
      const ValueId at = net.conv(net.input(side, side, 4), 16);
      const Graph graph = net.finish(net.conv(net.conv(at, 12, kernel, 2), 8));
      expect_all(graph, 3);
      expect_same_bytes(graph);
    }
  }
}

}  // namespace
}  // namespace edgetwin::edgetpu::compiler

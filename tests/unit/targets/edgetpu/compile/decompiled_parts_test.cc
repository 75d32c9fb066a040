// Parts of pictures that are put together again: channels that are cut out and joined, pictures
// that stand beside themselves, real 0 around them. All layers come back, and the same bytes.
#include <algorithm>

#include "unit/targets/edgetpu/compile/read_back.h"

namespace edgetwin::edgetpu::compiler {
namespace {

void expect_back(const Graph& graph, size_t layers) {
  expect_all(graph, layers);
  expect_same_bytes(graph);
}

bool writes(const Graph& graph, OpKind kind) {
  const auto back = decompiled_of(graph);
  EXPECT_TRUE(back.ok());
  if (!back.ok()) return false;
  return std::ranges::any_of(back->model.main().ops, [&](const Op& o) { return o.kind == kind; });
}

// Both parts are scaled by the same number: two layers, not one.
TEST(EdgetpuDecompileParts, APictureBesideSomeOfItsChannels) {
  for (const int channels : {5, 12}) {
    FamilyNetwork net(Trained::any, 5);
    const ValueId at = net.conv(net.input(24, 20, 4), channels, 3);
    const ValueId part = net.cut(at, {0, 0, 0, 1}, {1, 24, 20, channels - 1});
    expect_back(net.finish(net.conv(net.join(part, at), 8, 3)), 2);
  }
}

TEST(EdgetpuDecompileParts, APictureBesideItself) {
  for (const int axis : {1, 2, 3}) {
    FamilyNetwork net(Trained::any, 5);
    const ValueId at = net.conv(net.input(12, 16, 4), 8, 3);
    expect_back(net.finish(net.conv(net.join_along(axis, {at, at}), 8, 3)), 2);
  }
}

TEST(EdgetpuDecompileParts, HalvesOfTheChannels) {
  FamilyNetwork net(Trained::any, 5);
  const auto parts = net.split(net.conv(net.input(14, 10, 4), 32, 3), 2);
  expect_back(net.finish(net.conv(net.sum(parts[0], parts[1]), 8, 3)), 3);
}

TEST(EdgetpuDecompileParts, ChannelsOfAProductBeforeAWindow) {
  FamilyNetwork net(Trained::any, 5);
  const ValueId at = net.input(27, 19, 52);
  const ValueId part = net.cut(net.product(at, net.conv(at, 52)), {0, 0, 0, 40}, {1, 27, 19, 12});
  expect_back(net.finish(net.sum(part, net.conv(part, 12))), 4);
}

TEST(EdgetpuDecompileParts, TheGreatestOfSeveralPicturesSideBySide) {
  FamilyNetwork net(Trained::any, 5);
  const ValueId at = net.input(16, 12, 12);
  const ValueId both = net.join(at, net.conv(at, 21, 3));
  expect_back(net.finish(net.conv(net.greatest_of(both, 3, 2), 8)), 3);
}

TEST(EdgetpuDecompileParts, TheMeanOfSeveralPicturesSideBySide) {
  FamilyNetwork net(Trained::any, 5);
  const ValueId at = net.conv(net.input(16, 18, 4), 36, 3);
  const ValueId both = net.join(at, net.conv(at, 38, 3));
  expect_back(net.finish(net.dense(net.average(both), 20)), 4);
}

// Windows over rows of one column: taps side by side and their channels are one level.
TEST(EdgetpuDecompileParts, WindowsOfTilesOfOneColumn) {
  FamilyNetwork net(Trained::any, 5);
  expect_back(net.finish(net.conv(net.conv(net.input(20, 8, 4), 3, 3), 8, 5, 2)), 2);
}

TEST(EdgetpuDecompileParts, BlocksOfChannelsThatFillNoWord) {
  FamilyNetwork net(Trained::any, 5);
  const ValueId at = net.conv(net.input(20, 12, 4), 3, 3);
  const Graph graph = net.finish(net.conv(net.blocks(OpKind::space_to_depth, at, 2), 8, 3));
  expect_back(graph, 2);
  EXPECT_TRUE(writes(graph, OpKind::space_to_depth));
}

TEST(EdgetpuDecompileParts, ChannelsOfRealZero) {
  for (const int after : {0, 1, 2, 5}) {
    for (const bool deep : {false, true}) {
      SCOPED_TRACE(std::to_string(after) + (deep ? " deep" : ""));
      FamilyNetwork net(Trained::any, 5);
      const ValueId at = net.conv(net.input(12, 16, 4), 6, 3);
      const ValueId wide = net.pad(at, {1, 2, 1, 0, 1, after});
      const Graph graph = net.finish(deep ? net.conv(net.deep(wide, 3, 1), 8) : net.conv(wide, 8));
      expect_back(graph, deep ? 3 : 2);
      EXPECT_TRUE(writes(graph, OpKind::pad));
    }
  }
  FamilyNetwork net(Trained::any, 5);
  const ValueId at = net.conv(net.input(12, 16, 4), 3, 3);
  expect_back(net.finish(net.conv(net.pad(at, {0, 0, 0, 0, 0, 4}), 8, 3)), 2);
}

TEST(EdgetpuDecompileParts, APartOfAPictureBeforeAWindow) {
  for (const bool same : {false, true}) {
    FamilyNetwork net(Trained::any, 5);
    const ValueId at = net.conv(net.input(14, 16, 4), 8, 3);
    const ValueId part = net.cut(at, {0, 0, 1, 0}, {1, 13, 14, 8});
    expect_back(net.finish(net.conv(part, 8, {3, 3, 1, same})), 2);
  }
}

TEST(EdgetpuDecompileParts, PicturesThatAreEnlarged) {
  const auto resized = [](auto&& move) {
    FamilyNetwork net(Trained::any, 5);
    const ValueId at = net.conv(net.input(11, 14, 4), 8, 3);
    return net.finish(net.doubled(move(net, at)));
  };
  expect_back(resized([](FamilyNetwork& n, ValueId at) { return n.transpose(at); }), 2);
  expect_back(resized([](FamilyNetwork& n, ValueId at) {
                return n.cut(at, {0, 1, 0, 0}, {1, 9, 13, 8});
              }),
              2);
  expect_back(resized([](FamilyNetwork& n, ValueId at) {
                return n.join_along(2, {at, at}, true);
              }),
              2);
  expect_back(resized([](FamilyNetwork& n, ValueId at) {
                return n.cut(at, {0, 0, 0, 4}, {1, 11, 14, 4});
              }),
              2);
  FamilyNetwork net(Trained::any, 5);
  const ValueId at = net.reshape(net.conv(net.input(12, 14, 4), 8, 3), {1, 14, 12, 8});
  expect_back(net.finish(net.larger(at, 27, 23, true, false)), 2);
}

// Regression: a tile's 5,488 words are no 4,096, of which 28 in a pixel are no part.
TEST(EdgetpuDecompileParts, ALargePictureThatIsEnlarged) {
  FamilyNetwork net(Trained::int8);
  const ValueId at = net.conv(net.input(56, 56, 4), 112, 3);
  const ValueId up =
      net.resized(OpKind::resize_nearest_neighbor, net.conv(at, 112, 3, 2), 56, 56, false, false);
  expect_back(net.finish(net.conv(net.sum(at, up), 8)), 4);
}

// Positions that are read with a stride are those of a window without one.
TEST(EdgetpuDecompileParts, AStrideOverPositionsThatChangedPlaces) {
  FamilyNetwork net(Trained::any, 5);
  const ValueId at = net.conv(net.input(12, 9, 4), 8, 3);
  expect_back(net.finish(net.conv(net.join_along(2, {at, at}, true), 8, 1, 2)), 2);
}

}  // namespace
}  // namespace edgetwin::edgetpu::compiler

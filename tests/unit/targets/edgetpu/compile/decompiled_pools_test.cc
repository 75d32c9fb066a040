// Pools of pictures that changed places or were cut before them, and other layers whose windows
// leave open how the picture lies: what they read tells it.
#include <algorithm>

#include "unit/targets/edgetpu/compile/read_back.h"

namespace edgetwin::edgetpu::compiler {
namespace {

using Filter = FamilyNetwork::Filter;

// A pool of a picture that a convolution made and `move` changed.
template <class Move, class Pool>
void expect_pool(int h, int w, int channels, const Move& move, const Pool& pool, size_t layers) {
  FamilyNetwork net(Trained::any, 5);
  const ValueId at = net.conv(net.input(h, w, 4), channels, 3);
  expect_all(net.finish(pool(net, move(net, at))), layers);
}

ValueId transposed(FamilyNetwork& net, ValueId at) { return net.transpose(at); }
ValueId longer(FamilyNetwork& net, ValueId at) {
  const Shape& s = net.shape(at);
  return net.reshape(at, {1, s[2], s[1], s[3]});
}
ValueId smaller(FamilyNetwork& net, ValueId at) {
  const auto side = [&](int k) { return static_cast<int>(net.shape(at)[k]); };
  return net.cut(at, {0, 1, 2, 0}, {1, side(1) - 2, side(2) - 3, side(3)});
}
ValueId larger(FamilyNetwork& net, ValueId at) { return net.nearest(at, 2, 1); }

TEST(EdgetpuDecompilePools, AveragesOverAllOfAMovedPicture) {
  const auto average = [](FamilyNetwork& net, ValueId at) { return net.average(at); };
  for (const auto& move : {transposed, longer, smaller, larger}) {
    expect_pool(12, 20, 20, move, average, 2);
    // More than 64 channels: tiles share them.
    expect_pool(6, 10, 150, move, average, 2);
  }
}

TEST(EdgetpuDecompilePools, AveragesOfWindowsOfAMovedPicture) {
  for (const bool same : {false, true}) {
    const auto average = [&](FamilyNetwork& net, ValueId at) {
      return net.average_of(at, 3, 2, same);
    };
    for (const auto& move : {transposed, longer, smaller, larger}) {
      SCOPED_TRACE(same);
      expect_pool(12, 20, 20, move, average, 2);
    }
  }
}

TEST(EdgetpuDecompilePools, TheGreatestOfWindowsOfAMovedPicture) {
  for (const int kernel : {2, 3, 5}) {
    const auto greatest = [&](FamilyNetwork& net, ValueId at) {
      return net.greatest_of(at, kernel, 2);
    };
    for (const auto& move : {transposed, longer, smaller, larger}) {
      SCOPED_TRACE(kernel);
      expect_pool(12, 20, 20, move, greatest, 2);
    }
  }
}

TEST(EdgetpuDecompilePools, SomeChannels) {
  const auto some = [](FamilyNetwork& net, ValueId at) { return net.slice(at, 8, 12); };
  const auto average = [](FamilyNetwork& net, ValueId at) { return net.average(at); };
  const auto averages = [](FamilyNetwork& net, ValueId at) { return net.average_of(at, 3, 1); };
  const auto greatest = [](FamilyNetwork& net, ValueId at) { return net.greatest_of(at, 3, 2); };
  expect_pool(9, 14, 32, some, average, 2);
  expect_pool(9, 14, 32, some, averages, 2);
  expect_pool(9, 14, 32, some, greatest, 2);
  // Two channels fill half of the last word.
  const auto few = [](FamilyNetwork& net, ValueId at) { return net.slice(at, 0, 6); };
  expect_pool(9, 14, 32, few, average, 2);
}

TEST(EdgetpuDecompilePools, ChannelsOfTwoLayersSideBySide) {
  for (const bool windows : {false, true}) {
    FamilyNetwork net(Trained::any, 5);
    const ValueId at = net.conv(net.input(14, 8, 4), 88, 3);
    const ValueId both = net.join(at, net.conv(at, 16, 3));
    const Graph graph = net.finish(windows ? net.average_of(both, 2, 2) : net.average(both));
    const auto back = decompiled_of(graph);
    ASSERT_TRUE(back.ok()) << to_text(back.error());
    const auto& ops = back->model.main().ops;
    EXPECT_EQ(std::ranges::count(ops, OpKind::average_pool_2d, &Op::kind), 1);
    EXPECT_TRUE(read_again(graph).open.empty());
  }
}

// No window has all of its places: the mean of the fullest one is compared, and the others.
TEST(EdgetpuDecompilePools, WindowsThatAreLargerThanThePicture) {
  FamilyNetwork net(Trained::any, 5);
  const ValueId at = net.conv(net.input(7, 3, 4), 12);
  expect_all(net.finish(net.average_of(at, 7, 1, true)), 2);
}

TEST(EdgetpuDecompilePools, AStrideOverAMovedPicture) {
  for (const auto& move : {transposed, longer}) {
    FamilyNetwork net(Trained::any, 5);
    const ValueId at = move(net, net.conv(net.input(13, 14, 4), 8, 3));
    expect_all(net.finish(net.conv(net.deep(at, 1, 2), 8, 3)), 3);
  }
}

TEST(EdgetpuDecompilePools, AColumnOfTapsIsNoDilatedRow) {
  FamilyNetwork net(Trained::any, 5);
  const ValueId at = net.conv(net.input(9, 6, 4), 16);
  const Filter column{3, 1, 2};
  expect_all(net.finish(net.conv(net.multiplied_deep(at, 2, column), 8)), 3);
}

TEST(EdgetpuDecompilePools, WindowsThatBeginInsideOfAPicture) {
  FamilyNetwork net(Trained::any, 5);
  const ValueId at = net.conv(net.input(14, 16, 4), 16);
  const ValueId part = net.cut(at, {0, 0, 1, 0}, {1, 13, 14, 16});
  expect_all(net.finish(net.conv(part, 12, Filter{3, 3, 1, false})), 2);
}

TEST(EdgetpuDecompilePools, EnlargementsOfMovedPictures) {
  for (const auto& move : {transposed, smaller}) {
    FamilyNetwork net(Trained::any, 5);
    const ValueId at = move(net, net.conv(net.input(10, 9, 4), 8, 3));
    expect_all(net.finish(net.doubled(at)), 2);
  }
}

TEST(EdgetpuDecompilePools, SomeChannelsOfASumAndAProduct) {
  FamilyNetwork net(Trained::any, 5);
  const ValueId at = net.conv(net.input(12, 28, 4), 32, 3);
  const ValueId half = net.slice(at, 16, 16);
  const Graph graph = net.finish(net.sum(half, net.with_number(half, OpKind::mul)));
  expect_all(graph, 3);
}

// Each is the convolutions whose results take turns.
TEST(EdgetpuDecompilePools, TransposedConvolutions) {
  struct Case {
    int kernel, stride;
    bool same;
    size_t parts;
  };
  for (const Case& c :
       {Case{2, 2, true, 4}, Case{3, 2, false, 4}, Case{4, 2, true, 4}, Case{3, 3, true, 9}}) {
    FamilyNetwork net(Trained::any, 5);
    SCOPED_TRACE(c.kernel);
    const ValueId at = net.conv(net.input(8, 5, 4), 12);
    const ValueId up = net.transposed_conv(at, 16, c.kernel, c.stride, c.same);
    expect_all(net.finish(net.conv(up, 9)), 2 + c.parts);
  }
}

}  // namespace
}  // namespace edgetwin::edgetpu::compiler

// Operators whose results lie between each other, or at places of the input that no tile has by
// itself; pools over any windows; the machine beside the twin.
#include "unit/targets/edgetpu/compile/family_networks.h"
#include "unit/targets/edgetpu/compile/on_chip.h"

namespace edgetwin::edgetpu::compiler {
namespace {

using Filter = FamilyNetwork::Filter;

TEST(EdgetpuCompilePlaces, TransposedConvolutions) {
  struct Size {
    int h, w, kernel, stride;
    bool same;
  };
  for (const Size& s : {Size{8, 8, 2, 2, true}, Size{8, 12, 3, 2, true}, Size{5, 6, 4, 2, true},
                        Size{7, 5, 3, 2, false}, Size{4, 4, 5, 3, true}, Size{6, 6, 3, 1, true}}) {
    for (const Trained trained : {Trained::uint8, Trained::int8}) {
      FamilyNetwork net(trained, static_cast<uint32_t>(s.h + s.kernel));
      SCOPED_TRACE(std::to_string(s.h) + " kernel " + std::to_string(s.kernel));
      const ValueId in = net.conv(net.input(s.h, s.w, 8), 16);
      expect_twin_bytes(net.ends({net.transposed_conv(in, 12, s.kernel, s.stride, s.same)}));
    }
  }
  FamilyNetwork chain(Trained::int8);
  const ValueId up = chain.transposed_conv(chain.input(8, 8, 16), 8, 2, 2);
  expect_twin_bytes(chain.ends({chain.conv(up, 8, 3)}));
}

TEST(EdgetpuCompilePlaces, WindowsSmallerThanTheirStrideStayOnTheHost) {
  FamilyNetwork net(Trained::int8);
  const ValueId in = net.conv(net.input(6, 6, 8), 8);
  const Partition p = partition_of(net.ends({net.transposed_conv(in, 8, 1, 2)}));
  ASSERT_TRUE(p.ops[1].refusal);
  EXPECT_NE(p.ops[1].refusal->message.find("smaller than its stride"), std::string::npos);
}

TEST(EdgetpuCompilePlaces, NearestPositionsOfAnySize) {
  struct Size {
    int from_h, from_w, h, w;
    bool corners, middles;
  };
  for (const Size& s : {Size{3, 3, 5, 5, false, false}, Size{5, 5, 10, 10, false, true},
                        Size{10, 7, 20, 21, false, false}, Size{9, 8, 5, 3, false, true},
                        Size{6, 5, 11, 9, true, false}, Size{19, 19, 38, 38, false, false}}) {
    FamilyNetwork net(Trained::int8, static_cast<uint32_t>(s.h));
    SCOPED_TRACE(std::to_string(s.h) + " x " + std::to_string(s.w));
    const ValueId in = net.conv(net.input(s.from_h, s.from_w, 8), 12);
    const ValueId at =
        net.resized(OpKind::resize_nearest_neighbor, in, s.h, s.w, s.corners, s.middles);
    expect_twin_bytes(net.ends({net.sum(at, net.deep(at, 3, 1))}));
  }
}

TEST(EdgetpuCompilePlaces, PositionsInTurns) {
  for (const int side : {8, 10}) {
    FamilyNetwork net(Trained::int8);
    const ValueId at = net.conv(net.input(side, side, 8), 12);
    const ValueId columns = net.pack({at, net.conv(at, 12)}, 3);
    for (const ValueId id : {at, columns}) net.same_quantization(id, columns);
    const ValueId both = net.pack({columns, columns}, 2);
    expect_proven(net.ends({net.conv(net.reshape(both, {1, 2 * side, 2 * side, 12}), 8, 3)}));
  }
}

TEST(EdgetpuCompilePlaces, BlocksAndChannels) {
  for (const int channels : {3, 4, 12}) {
    FamilyNetwork net(Trained::int8);
    expect_twin_bytes(
        net.ends({net.blocks(OpKind::space_to_depth, net.conv(net.input(8, 12, 4), channels), 2)}));
    FamilyNetwork wide(Trained::int8);
    const ValueId in = wide.conv(wide.input(5, 8, 4), 4 * channels);
    expect_twin_bytes(wide.ends({wide.blocks(OpKind::depth_to_space, in, 2)}));
  }
}

TEST(EdgetpuCompilePlaces, GreaterAndLesserOfTwo) {
  for (const OpKind kind : {OpKind::maximum, OpKind::minimum}) {
    FamilyNetwork net(Trained::uint8);
    const ValueId in = net.conv(net.input(9, 7, 8), 12);
    const ValueId other = net.conv(net.deep(in, 3, 1), 12);
    expect_twin_bytes(net.ends({net.least_or_greatest(kind, in, other)}));
    FamilyNetwork vectors(Trained::int8);
    const ValueId a = vectors.input_of({1, 40});
    const ValueId b = vectors.dense(a, 30), c = vectors.dense(a, 30);
    expect_twin_bytes(vectors.ends({vectors.dense(vectors.least_or_greatest(kind, b, c), 5)}));
  }
}

TEST(EdgetpuCompilePlaces, SeveralOutputsForAChannel) {
  for (const Trained trained : {Trained::uint8, Trained::int8}) {
    FamilyNetwork net(trained);
    expect_twin_bytes(net.ends({net.multiplied_deep(net.input(9, 9, 4), 2, Filter{3, 3, 2})}));
  }
  FamilyNetwork more(Trained::int8);
  const ValueId in = more.conv(more.input(8, 8, 4), 20, 3);
  expect_twin_bytes(more.ends({more.conv(more.multiplied_deep(in, 3, Filter{3, 3, 1}), 8)}));
}

TEST(EdgetpuCompilePlaces, PixelsOfTheHostThatAreNoWholeWords) {
  for (const int channels : {5, 6, 13}) {
    FamilyNetwork net(Trained::int8);
    expect_twin_bytes(net.ends({net.conv(net.input(11, 9, channels), 16, 3)}));
  }
}

TEST(EdgetpuCompilePlaces, PoolsOfAnyWindow) {
  for (const OpKind kind : {OpKind::max_pool_2d, OpKind::average_pool_2d}) {
    for (const Filter& f : {Filter{13, 13, 1}, Filter{5, 2, 2}, Filter{9, 9, 3},
                            Filter{12, 10, 1, false}, Filter{7, 7, 1, false}, Filter{6, 1, 1}}) {
      FamilyNetwork net(Trained::int8);
      SCOPED_TRACE(std::to_string(f.kernel_h) + " x " + std::to_string(f.kernel_w));
      expect_twin_bytes(net.ends({net.pool(kind, net.conv(net.input(12, 10, 4), 20, 3), f)}));
    }
  }
}

TEST(EdgetpuCompilePlaces, OneOfFourPositions) {
  FamilyNetwork net(Trained::int8);
  expect_twin_bytes(net.ends({net.greatest_of(net.conv(net.input(11, 8, 4), 8, 3), 1, 2)}));
}

// The pairs of 147 x 147 x 64 do not fit beside the picture: a few channels at a time.
TEST(EdgetpuCompilePlaces, GreatestOfALargePicture) {
  FamilyNetwork net(Trained::uint8);
  expect_twin_bytes(
      net.ends({net.greatest_of(net.conv(net.input(74, 75, 4), 64, 3), 3, 2, false)}));
}

TEST(EdgetpuCompilePlaces, GreatestValuesWithAnotherScale) {
  FamilyNetwork net(Trained::int8);
  const ValueId at = net.greatest_of(net.conv(net.input(8, 8, 4), 8, 3), 2, 2);
  net.rescaled(at, 0.05F);
  expect_twin_bytes(net.ends({at}));
}

TEST(EdgetpuCompilePlaces, RowsColumnsOrBothAsOne) {
  for (const OpKind kind : {OpKind::mean, OpKind::sum}) {
    for (const bool keep : {false, true}) {
      for (const std::vector<int32_t>& axes :
           {std::vector<int32_t>{1}, std::vector<int32_t>{2}, std::vector<int32_t>{1, 2}}) {
        FamilyNetwork net(Trained::int8);
        SCOPED_TRACE(std::to_string(axes[0]) + (keep ? " kept" : ""));
        expect_twin_bytes(
            net.ends({net.mean(net.conv(net.input(11, 6, 4), 12, 3), axes, keep, kind)}));
      }
    }
  }
  FamilyNetwork rows(Trained::int8);
  expect_twin_bytes(
      rows.ends({rows.dense(rows.mean(rows.rows(rows.input_of({1, 21, 8}), 12), {1}), 5)}));
}

// Taps outside of a picture that has one window are left out; so are those of depthwise layers.
TEST(EdgetpuCompilePlaces, OneWindowOverASmallPicture) {
  for (const Filter& f : {Filter{3, 3, 2}, Filter{3, 3, 2, false}, Filter{5, 5, 4}}) {
    for (const bool deep : {false, true}) {
      if (!f.same && deep) continue;
      FamilyNetwork net(Trained::uint8);
      SCOPED_TRACE(std::to_string(f.kernel_h) + (deep ? " deep" : ""));
      const ValueId at = net.conv(net.input(f.same ? 2 : 3, f.same ? 2 : 3, 8), 24);
      expect_twin_bytes(
          net.ends({deep ? net.deep(at, f.kernel_h, f.stride) : net.conv(at, 70, f)}));
    }
  }
}

// Regression: such networks were cut in two.
TEST(EdgetpuCompilePlaces, PoolsAndConvolutionsOverTheEdgeOfOneTensor) {
  for (const bool pool_first : {false, true}) {
    FamilyNetwork net(Trained::int8);
    const ValueId at = net.conv(net.input(9, 10, 8), 16, 3, 1, false);
    const ValueId pool = pool_first ? net.greatest_of(at, 3, 1) : at;
    const ValueId conv = net.conv(at, 16, 3);
    expect_twin_bytes(net.ends({net.sum(pool_first ? pool : net.greatest_of(at, 3, 1), conv)}));
  }
}

// A list of which a quarter of a row does not fit a tile lies in several rows.
TEST(EdgetpuCompilePlaces, ScoresOfManyBoxes) {
  FamilyNetwork net(Trained::uint8);
  const ValueId large = net.conv(net.conv(net.input(20, 20, 8), 16), 4 * 91, 1, 1, false);
  const ValueId small = net.conv(net.conv(net.input(10, 10, 8), 16), 4 * 91, 1, 1, false);
  const ValueId all =
      net.join_along(1, {net.reshape(large, {1, 1600, 91}), net.reshape(small, {1, 400, 91})});
  expect_twin_bytes(net.ends({net.logistic(all)}));
}

TEST(EdgetpuCompilePlaces, LongListsOfOtherChannels) {
  FamilyNetwork net(Trained::int8);
  const ValueId list = net.reshape(net.conv(net.input(20, 30, 8), 40, 1, 1, false), {1, 1200, 20});
  const ValueId boxes = net.rows(list, 8);
  expect_twin_bytes(net.ends({net.join_along(2, {boxes, list})}));
}

// Regression: axes were taken for rows and columns without a look at them.
TEST(EdgetpuCompilePlaces, MeansOfChannelsStayOnTheHost) {
  FamilyNetwork net(Trained::int8);
  const ValueId in = net.conv(net.input(8, 4, 8), 8);
  const Partition p = partition_of(net.ends({net.mean(in, {2, 3})}));
  ASSERT_TRUE(p.ops[1].refusal);
  EXPECT_EQ(p.ops[1].group, -1);
}

}  // namespace
}  // namespace edgetwin::edgetpu::compiler

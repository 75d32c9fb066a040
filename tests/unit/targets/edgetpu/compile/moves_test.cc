// Operators that only move bytes, and those on vectors: the machine beside the twin.
#include "unit/targets/edgetpu/compile/on_chip.h"
#include "unit/targets/edgetpu/compile/random_networks.h"

namespace edgetwin::edgetpu::compiler {
namespace {

TEST(EdgetpuCompileMoves, ChannelsThatBeginAnywhere) {
  for (const int channels : {3, 6, 70}) {
    RandomNetwork net(static_cast<uint32_t>(channels));
    const ValueId in = net.window(net.input(9, 7, 8), channels, 1, 1, 1, true, false);
    expect_twin_bytes(net.finish(net.cut(in, {0, 0, 0, 1}, {1, 9, 7, channels - 1})));
  }
  RandomNetwork net(5);
  const auto parts = net.split(net.window(net.input(6, 5, 4), 9, 1, 1, 1, true, false), 3);
  expect_twin_bytes(net.finish(net.join_along(3, {parts[2], parts[0], parts[1]})));
}

TEST(EdgetpuCompileMoves, RowsAndColumnsOfAPicture) {
  for (uint32_t seed = 1; seed < 4; ++seed) {
    RandomNetwork net(seed);
    const ValueId in = net.input(13, 10, 12);
    expect_twin_bytes(net.finish(net.cut(in, {0, 2, 3, 0}, {1, 8, 6, 12})));
    RandomNetwork both(seed);
    expect_twin_bytes(both.finish(both.cut(both.input(13, 10, 12), {0, 5, 0, 2}, {1, 8, 9, 7})));
  }
}

TEST(EdgetpuCompileMoves, EveryOtherRowColumnAndChannel) {
  struct Part {
    std::array<int, 3> begin, size, step;
  };
  for (const Part& part :
       {Part{{1, 0, 0}, {6, 10, 12}, {2, 1, 1}}, Part{{0, 1, 0}, {13, 4, 12}, {1, 2, 1}},
        Part{{0, 2, 0}, {5, 3, 12}, {3, 3, 1}}, Part{{2, 0, 1}, {3, 2, 5}, {4, 7, 2}},
        Part{{0, 0, 0}, {13, 10, 4}, {1, 1, 3}}}) {
    RandomNetwork net(static_cast<uint32_t>(part.size[1]));
    SCOPED_TRACE(std::to_string(part.size[0]) + " x " + std::to_string(part.size[1]));
    expect_twin_bytes(
        net.finish(net.strided(net.input(13, 10, 12), part.begin, part.size, part.step)));
  }
}

// Positions of the result lie on positions of the picture: nothing is between them.
TEST(EdgetpuCompileMoves, SmallerPicturesOfItsOwnPositions) {
  struct Size {
    OpKind kind;
    int from_h, from_w, h, w;
    bool corners, middles;
  };
  constexpr OpKind kBilinear = OpKind::resize_bilinear, kNearest = OpKind::resize_nearest_neighbor;
  for (const Size& s :
       {Size{kBilinear, 12, 10, 6, 5, false, false}, Size{kBilinear, 15, 9, 5, 3, false, true},
        Size{kBilinear, 13, 9, 7, 5, true, false}, Size{kBilinear, 12, 9, 12, 3, false, true},
        Size{kNearest, 12, 10, 6, 5, false, false}, Size{kNearest, 12, 10, 6, 5, false, true},
        Size{kNearest, 13, 9, 4, 3, true, false}}) {
    RandomNetwork net(static_cast<uint32_t>(s.h));
    SCOPED_TRACE(std::to_string(s.h) + " x " + std::to_string(s.w));
    const ValueId in = net.window(net.input(s.from_h, s.from_w, 8), 12, 1, 1, 1, true, false);
    const ValueId at = net.resized(s.kind, in, s.h, s.w, s.corners, s.middles);
    expect_twin_bytes(net.finish(net.window(at, 0, 3, 1, 1, true, true)));
  }
}

TEST(EdgetpuCompileMoves, SmallerPicturesBetweenPositionsStayOnTheHost) {
  RandomNetwork net(1);
  const ValueId in = net.window(net.input(12, 12, 8), 8, 1, 1, 1, true, false);
  const Partition p =
      partition_of(net.finish(net.resized(OpKind::resize_bilinear, in, 6, 6, false, true)));
  ASSERT_EQ(p.ops.size(), 2u);
  ASSERT_TRUE(p.ops[1].refusal);
  EXPECT_NE(p.ops[1].refusal->message.find("lie on theirs"), std::string::npos);
}

// Between the middles of pixels, from the first corner on, and from corner to corner; one side or
// both, whole factors and others.
TEST(EdgetpuCompileMoves, LargerPicturesBetweenPositions) {
  struct Size {
    int from_h, from_w, h, w;
    bool corners, middles;
  };
  for (const Size& s : {Size{5, 6, 20, 24, false, true}, Size{4, 5, 32, 40, false, true},
                        Size{10, 8, 16, 8, false, true}, Size{7, 9, 14, 18, false, false},
                        Size{5, 4, 20, 16, false, false}, Size{5, 9, 17, 33, true, false},
                        Size{33, 4, 65, 7, true, false}}) {
    RandomNetwork net(static_cast<uint32_t>(s.h));
    const ValueId in = net.window(net.input(s.from_h, s.from_w, 8), 12, 1, 1, 1, true, false);
    const ValueId at = net.larger(in, s.h, s.w, s.corners, s.middles);
    SCOPED_TRACE(std::to_string(s.h) + " x " + std::to_string(s.w));
    expect_twin_bytes(net.finish(net.window(at, 0, 3, 1, 1, true, true)));
  }
}

TEST(EdgetpuCompileMoves, PositionsThatAreNoPartsOf128StayOnTheHost) {
  RandomNetwork net(1);
  const ValueId in = net.window(net.input(6, 6, 8), 8, 1, 1, 1, true, false);
  const Partition p = partition_of(net.finish(net.larger(in, 18, 18, false, true)));
  ASSERT_EQ(p.ops.size(), 2u);
  ASSERT_TRUE(p.ops[1].refusal);
  EXPECT_NE(p.ops[1].refusal->message.find("1/128"), std::string::npos);
}

TEST(EdgetpuCompileMoves, ChannelsForPositions) {
  const std::array<int, 3> orders[] = {{3, 1, 2}, {2, 3, 1}, {3, 2, 1}, {1, 3, 2}};
  for (const auto& order : orders) {
    RandomNetwork net(static_cast<uint32_t>(order[0] + 4 * order[1]));
    SCOPED_TRACE(std::to_string(order[0]) + std::to_string(order[1]) + std::to_string(order[2]));
    const ValueId in = net.window(net.input(8, 12, 8), 20, 1, 1, 1, true, false);
    expect_twin_bytes(net.finish(net.transpose(in, order)));
  }
}

TEST(EdgetpuCompileMoves, TransposedChannelsThatAreNoWholeWordsStayOnTheHost) {
  RandomNetwork net(1);
  const ValueId in = net.window(net.input(6, 7, 8), 8, 1, 1, 1, true, false);
  const Partition p = partition_of(net.finish(net.transpose(in, {3, 1, 2})));
  ASSERT_TRUE(p.ops[1].refusal);
  EXPECT_NE(p.ops[1].refusal->message.find("multiple of 4"), std::string::npos);
}

TEST(EdgetpuCompileMoves, JoinedAlongEveryAxis) {
  for (const int axis : {1, 2, 3}) {
    for (const bool same : {false, true}) {
      RandomNetwork net(static_cast<uint32_t>(axis));
      const ValueId a = net.input(6, 7, 5), b = net.input(6, 7, 5), c = net.input(6, 7, 5);
      if (axis == 3 && same) continue;
      const ValueId x = net.window(a, 6, 1, 1, 1, true, false);
      const ValueId y = net.window(b, 6, 1, 1, 1, true, false);
      const ValueId z = net.window(c, 6, 1, 1, 1, true, false);
      expect_proven(net.finish(net.join_along(axis, {x, y, z}, same)));
    }
  }
}

TEST(EdgetpuCompileMoves, RealZeroAroundAPicture) {
  RandomNetwork net(3);
  expect_twin_bytes(net.finish(net.pad(net.input(5, 6, 4), {1, 2, 3, 0, 0, 0})));
  RandomNetwork channels(4);
  expect_twin_bytes(channels.finish(channels.pad(channels.input(5, 6, 4), {0, 0, 0, 0, 1, 2})));
  RandomNetwork both(5);
  expect_twin_bytes(both.finish(both.pad(both.input(5, 6, 8), {1, 0, 0, 1, 3, 0})));
}

TEST(EdgetpuCompileMoves, RowsForColumns) {
  RandomNetwork net(2);
  expect_proven(net.finish(net.transpose(net.input(9, 14, 8))));
  RandomNetwork odd(2);
  const ValueId in = odd.window(odd.input(5, 6, 4), 7, 1, 1, 1, true, false);
  expect_proven(odd.finish(odd.window(odd.transpose(in), 8, 3, 1, 1, true, false)));
}

// Regression: the positions of a picture that RESHAPE gives another width lie in other tiles.
TEST(EdgetpuCompileMoves, OtherPositionsOfTheSameBytes) {
  RandomNetwork net(2);
  const ValueId in = net.input(4, 12, 8);
  expect_proven(net.finish(net.logistic(net.reshape(in, {1, 8, 6, 8}))));
  RandomNetwork words(2);
  const ValueId wide = words.reshape(words.input(6, 6, 16), {1, 6, 24, 4});
  expect_proven(words.finish(words.window(wide, 8, 3, 1, 1, true, false)));
  RandomNetwork vector(2);
  const ValueId made = vector.dense(vector.input_of({1, 40}), 160);
  const ValueId picture = vector.reshape(made, {1, 5, 4, 8});
  expect_proven(vector.finish(vector.window(picture, 8, 3, 1, 1, true, false)));
  RandomNetwork given(2);
  const ValueId rows = given.reshape(given.input_of({1, 12, 12}), {1, 12, 12, 1});
  expect_proven(given.finish(given.window(rows, 8, 3, 1, 1, true, false)));
}

TEST(EdgetpuCompileMoves, PixelsThatAreNoWholeWords) {
  RandomNetwork net(2);  // of trackers: each position one value
  const ValueId one = net.window(net.input(10, 9, 4), 1, 3, 1, 1, true, false);
  expect_twin_bytes(net.finish(net.dense(net.softmax(net.reshape(one, {1, 90})), 5)));
  RandomNetwork heads(3);
  const ValueId map = heads.window(heads.input(5, 6, 8), 18, 1, 1, 1, true, false);
  expect_twin_bytes(heads.finish(heads.logistic(heads.reshape(map, {1, 60, 9}))));
}

// Maps of several sizes whose channels are boxes or scores of several anchors, joined as one list.
Graph heads_of_a_detector(uint32_t seed, int values, int rank, bool rows) {
  RandomNetwork net(seed);
  std::vector<ValueId> lists;
  ValueId map = net.input(9, 8, 16);
  std::vector<ValueId> of_one_scale;
  for (const int anchors : {3, 1, 6, 2}) {
    const ValueId some = rows ? net.rows(map, anchors * values)
                              : net.window(map, anchors * values, 1, 1, 1, true, false);
    const Shape s = net.shape(some);
    const int64_t n = s[1] * s[2] * anchors;
    const ValueId given = seed % 2 == 0 ? net.logistic(some) : some;
    lists.push_back(net.reshape(given, rank == 3 ? Shape{1, n, values} : Shape{1, 1, n, values}));
    of_one_scale.insert(of_one_scale.end(), {given, lists.back()});
    if (anchors == 2) break;
    map = anchors == 6 ? net.average(map) : net.window(map, 12, 3, 2, 1, true, false);
  }
  const ValueId all = net.join_along(rank == 3 ? 1 : 2, lists);
  Graph graph = net.finish(all);
  if (seed % 2 == 0) return graph;
  for (const ValueId id : of_one_scale) graph.value(id).quant = graph.value(all).quant;
  return graph;
}

TEST(EdgetpuCompileMoves, HeadsOfADetectorBecomeOneList) {
  for (const auto& [seed, values, rank, rows] :
       {std::tuple{1U, 7, 3, false}, {2U, 5, 4, false}, {3U, 21, 3, true}, {4U, 8, 3, false}}) {
    SCOPED_TRACE(seed);
    const Graph graph = heads_of_a_detector(seed, values, rank, rows);
    expect_twin_bytes(graph);
    // No list is put together before the joined one, and no matrix picks its values.
    const Partition p = partition_of(graph);
    for (const PlannedOp& op : p.groups[0].compiled.ops) {
      EXPECT_NE(op.template_name, "positions in order");
    }
  }
}

// Regression: a list that is a result and that nothing takes was held for one that a join takes.
TEST(EdgetpuCompileMoves, HeadsOfADetectorAreResults) {
  for (const int channels : {18, 24, 70}) {
    RandomNetwork net(static_cast<uint32_t>(channels));
    const ValueId map = net.window(net.input(8, 6, 8), channels, 1, 1, 1, true, false);
    expect_twin_bytes(net.finish(net.reshape(map, {1, 96, channels / 2})));
  }
}

// A list that is a result, too, is one of its own.
TEST(EdgetpuCompileMoves, AListThatIsJoinedAndGiven) {
  RandomNetwork net(5);
  const ValueId map = net.input(7, 6, 8);
  const ValueId a = net.reshape(net.window(map, 14, 1, 1, 1, true, false), {1, 84, 7});
  const ValueId b = net.reshape(net.window(map, 21, 1, 1, 1, true, false), {1, 126, 7});
  const ValueId all = net.join_along(1, {a, b});
  Graph graph = net.finish(all);
  graph.outputs.push_back(a);
  expect_proven(graph);
}

TEST(EdgetpuCompileMoves, OnePositionTiled) {
  RandomNetwork net(4);
  const ValueId in = net.window(net.input(6, 7, 8), 20, 3, 1, 1, true, false);
  expect_twin_bytes(net.finish(net.sum(net.tile(net.average(in), 6, 7), in)));
}

TEST(EdgetpuCompileMoves, RowsOfAMatrix) {
  RandomNetwork net(6);
  expect_twin_bytes(net.finish(net.rows(net.rows(net.input_of({9, 20}), 30), 7)));
  RandomNetwork deep(7);
  const ValueId heads = deep.reshape(deep.input(3, 5, 24), {1, 30, 12});
  expect_twin_bytes(deep.finish(deep.logistic(deep.rows(heads, 8))));
}

TEST(EdgetpuCompileMoves, PixelsThatAreNoWholeWordsAreReadAsAVector) {
  for (const int channels : {1, 2, 3, 10}) {
    RandomNetwork net(static_cast<uint32_t>(channels));
    const ValueId in = net.window(net.input(5, 6, 4), channels, 3, 1, 1, true, false);
    expect_twin_bytes(net.finish(net.dense(in, 70)));
  }
}

// Regression: 28 words of a pixel are a group of 16 and one of 12. No public program fills both at
// once at the bottom.
TEST(EdgetpuCompileBorders, TheLastGroupOfWordsIsShort) {
  for (const int channels : {112, 88, 200}) {
    RandomNetwork net(static_cast<uint32_t>(channels));
    const ValueId in = net.window(net.input(14, 14, 8), channels, 1, 1, 1, true, false);
    const ValueId small = net.greatest_same(in, 3, 2);
    expect_twin_bytes(net.finish(net.greatest_same(small, 3, 2)));
    RandomNetwork deep(static_cast<uint32_t>(channels));
    const ValueId map = deep.window(deep.input(7, 7, 8), channels, 1, 1, 1, true, false);
    expect_proven(deep.finish(deep.window(map, channels, 3, 2, 1, true, true)));
  }
}

// No tile keeps the lines of such a block: they go past all tiles.
TEST(EdgetpuCompileVectors, ManyInputs) {
  RandomNetwork net(6);
  expect_twin_bytes(net.finish(net.dense(net.input(64, 64, 4), 3)));
  RandomNetwork wide(7);
  expect_twin_bytes(wide.finish(wide.dense(wide.input_of({1, 9000}), 130)));
}

// Regression: of a window over one position, as in the last map of a detector, one tap reads it.
TEST(EdgetpuCompileVectors, WindowsOverOnePosition) {
  for (const bool deep : {false, true}) {
    for (const int stride : {1, 2}) {
      RandomNetwork net(static_cast<uint32_t>(stride));
      const ValueId one = net.window(net.average(net.input(4, 4, 16)), 20, 1, 1, 1, true, false);
      expect_twin_bytes(net.finish(net.window(one, 12, 3, stride, 1, true, deep)));
    }
  }
}

TEST(EdgetpuCompileVectors, EveryOperatorOnElements) {
  for (uint32_t seed = 1; seed < 12; ++seed) {
    RandomNetwork net(seed);
    const int n = 1 + net.below(200);
    const ValueId in = net.input_of({1, 50});
    const ValueId a = net.dense(in, n), b = net.dense(in, n);
    const OpKind kind = seed % 3 == 0 ? OpKind::mul : seed % 3 == 1 ? OpKind::add : OpKind::sub;
    const ValueId c = net.pair(kind, net.logistic(a), net.hyperbolic(b));
    expect_proven(net.finish(net.dense(net.with_number(c, OpKind::mul), 12)));
  }
  RandomNetwork join(3);
  const ValueId in = join.input_of({1, 50});
  expect_proven(join.finish(join.join_along(1, {join.dense(in, 8), join.dense(in, 13)})));
  RandomNetwork odd(4);
  const ValueId from = odd.input_of({1, 50});
  expect_proven(
      odd.finish(odd.join_along(1, {odd.dense(from, 1), odd.dense(from, 1), odd.dense(from, 6)})));
}

// Squeeze and excite: every channel by what is known of the whole picture.
TEST(EdgetpuCompileVectors, APictureTimesAVector) {
  for (uint32_t seed = 1; seed < 5; ++seed) {
    RandomNetwork net(seed);
    const ValueId in = net.window(net.input(9, 11, 8), 20, 3, 1, 1, true, false);
    const ValueId squeezed = net.window(net.average(in), 8, 1, 1, 1, true, false);
    const ValueId gate = net.logistic(net.window(squeezed, 20, 1, 1, 1, true, false));
    const OpKind kind = seed % 2 == 0 ? OpKind::mul : OpKind::add;
    const ValueId weighted = seed < 3 ? net.pair(kind, in, gate) : net.pair(kind, gate, in);
    expect_proven(net.finish(net.window(weighted, 8, 3, 1, 1, true, false)));
  }
}

TEST(EdgetpuCompilePools, AveragesOfWindows) {
  for (const int channels : {4, 64, 72, 150}) {
    for (const bool same : {false, true}) {
      RandomNetwork net(static_cast<uint32_t>(channels));
      const int kernel = 2 + net.below(2), stride = 1 + net.below(2);
      expect_proven(net.finish(net.averages(net.input(11, 9, channels), kernel, stride, same)));
    }
  }
}

TEST(EdgetpuCompileVectors, ChannelsTimesConstants) {
  RandomNetwork net(9);
  expect_twin_bytes(net.finish(net.times_channels(net.input(8, 9, 24))));
}

}  // namespace
}  // namespace edgetwin::edgetpu::compiler

// Networks compiled and decompiled: what is on the chip comes back equal, layer by layer.
#include <cstdlib>

#include "instrumented.h"
#include "unit/targets/edgetpu/compile/read_back.h"

namespace edgetwin::edgetpu::compiler {
namespace {

TEST(EdgetpuDecompileOwn, GreatestOfWindows) {
  for (const int kernel : {2, 3, 4, 5}) {
    for (const int stride : {1, 2}) {
      for (const bool same : {false, true}) {
        SCOPED_TRACE(std::to_string(kernel) + " / " + std::to_string(stride) +
                     (same ? " s" : " v"));
        FamilyNetwork net(Trained::any, 3);
        const ValueId at = net.conv(net.input(32, 24, 4), 16, 3);
        expect_all(net.finish(net.conv(net.greatest_of(at, kernel, stride, same), 8)), 3);
      }
    }
  }
}

TEST(EdgetpuDecompileOwn, AGreatestOfGreatest) {
  FamilyNetwork net(Trained::any, 3);
  const ValueId at = net.conv(net.input(32, 32, 4), 16, 3);
  expect_all(net.finish(net.greatest_of(net.greatest_of(at, 3, 2), 3, 2)), 3);
}

TEST(EdgetpuDecompileOwn, ElementsOfTwo) {
  for (const OpKind kind : {OpKind::maximum, OpKind::minimum, OpKind::sub, OpKind::add}) {
    FamilyNetwork net(Trained::any, 5);
    const ValueId in = net.input(16, 16, 4);
    const ValueId a = net.conv(in, 16, 3);
    const ValueId b = net.conv(in, 16, 1);
    const ValueId two = kind == OpKind::sub   ? net.difference(a, b)
                        : kind == OpKind::add ? net.sum(a, b)
                                              : net.least_or_greatest(kind, a, b);
    expect_all(net.finish(net.conv(two, 8)), 4);
  }
}

TEST(EdgetpuDecompileOwn, ActivationsAndRescalingsOfTheirOwn) {
  FamilyNetwork net(Trained::any, 5);
  const ValueId at = net.relu6(net.conv(net.input(16, 16, 4), 16, 3, 1, false));
  expect_all(net.finish(net.conv(net.quantized(net.conv(at, 12)), 8)), 4);
}

TEST(EdgetpuDecompileOwn, SumsAndProductsWithANumber) {
  for (const OpKind kind : {OpKind::add, OpKind::sub, OpKind::mul}) {
    for (uint32_t seed = 1; seed < 9; ++seed) {
      SCOPED_TRACE(seed);
      FamilyNetwork net(Trained::any, seed);
      const ValueId at = net.conv(net.input(19, 16, 3), 12, 3);
      const bool first = kind == OpKind::mul && seed % 2 == 0;
      expect_all(net.finish(net.conv(net.with_number(at, kind, first), 8)), 3);
    }
  }
}

TEST(EdgetpuDecompileOwn, ProductsWithANumberForEachChannel) {
  FamilyNetwork net(Trained::any, 5);
  const ValueId at = net.conv(net.input(16, 20, 4), 24, 3);
  expect_all(net.finish(net.conv(net.times_channels(at), 8)), 3);
}

TEST(EdgetpuDecompileOwn, EnlargementsOfEverySize) {
  struct Case {
    int h, w;
    bool corners, middles;
  };
  const Case cases[] = {{15, 5, false, true}, {17, 9, false, true}, {16, 10, false, false}};
  for (const Case& c : cases) {
    SCOPED_TRACE(c.w);
    FamilyNetwork net(Trained::any, 5);
    const ValueId at = net.conv(net.input(c.h, c.w, 3), 8);
    const ValueId more = net.larger(at, 2 * c.h, 2 * c.w, c.corners, c.middles);
    expect_all(net.finish(net.conv(more, 8)), 3);
  }
  FamilyNetwork net(Trained::any, 5);
  const ValueId at = net.conv(net.input(9, 9, 4), 8);
  expect_all(net.finish(net.conv(net.larger(at, 17, 33, true, false), 8)), 3);
}

TEST(EdgetpuDecompileOwn, AveragesOverTheEdge) {
  for (const int kernel : {2, 3, 5, 7, 13}) {
    for (const int stride : {1, 2}) {
      for (const bool same : {false, true}) {
        SCOPED_TRACE(std::to_string(kernel) + " / " + std::to_string(stride) +
                     (same ? " s" : " v"));
        FamilyNetwork net(Trained::any, 3);
        const ValueId at = net.conv(net.input(26, 24, 4), 20, 3);
        expect_all(net.finish(net.conv(net.average_of(at, kernel, stride, same), 8)), 3);
      }
    }
  }
}

TEST(EdgetpuDecompileOwn, MeansOfOneAxis) {
  for (const int axis : {1, 2}) {
    FamilyNetwork net(Trained::any, 3);
    const ValueId at = net.conv(net.input(24, 16, 4), 20, 3);
    expect_all(net.finish(net.conv(net.mean(at, {axis}, true), 8)), 3);
  }
}

// Of a number of outputs that has no known form the whole blocks and the rest are two.
TEST(EdgetpuDecompileOwn, LayersOfWhichTheProgramHasTwo) {
  for (const uint32_t seed : {1, 2, 3, 4}) {
    FamilyNetwork net(Trained::any, seed);
    const ValueId at = net.conv(net.input(16, 16, 3), 101, 3);
    expect_all(net.finish(net.conv(net.with_number(at, OpKind::mul), 8)), 3);
  }
}

TEST(EdgetpuDecompileOwn, SeveralOutputsForEachChannel) {
  for (const int kernel_h : {1, 3}) {
    FamilyNetwork net(Trained::uint8, 3);
    const ValueId at = net.conv(net.input(15, 20, 4), 3);
    expect_all(net.finish(net.conv(net.multiplied_deep(at, 2, {kernel_h, 1, 2}), 8)), 3);
  }
}

TEST(EdgetpuDecompileOwn, ElementsOfChannelsSideBySide) {
  FamilyNetwork net(Trained::any, 5);
  const ValueId in = net.conv(net.input(16, 16, 4), 36);
  const ValueId both = net.join(in, net.conv(in, 5, 3));
  expect_all(net.finish(net.average(net.logistic(both))), 4);
}

// What the host computes comes back as a second input, in one buffer with the first.
TEST(EdgetpuDecompileOwn, ElementsOfTwoInputs) {
  for (const OpKind kind : {OpKind::mul, OpKind::add}) {
    for (const uint32_t seed : {1, 2, 3}) {
      FamilyNetwork net(Trained::any, seed);
      const ValueId picture = net.input(16, 12, 28), vector = net.input(1, 1, 28);
      expect_all(net.finish(net.conv(net.pair(kind, picture, vector), 8)), 2);
    }
  }
}

TEST(EdgetpuDecompileOwn, GreatestOfWindowsLargerThanThePicture) {
  FamilyNetwork net(Trained::any, 3);
  const ValueId at = net.conv(net.input(5, 15, 4), 20);
  expect_all(net.finish(net.conv(net.greatest_of(at, 11, 1), 8)), 3);
}

// Trackers: positions of one channel become a row, and every tile computes all of it.
TEST(EdgetpuDecompileOwn, RowsThatEveryTileHas) {
  FamilyNetwork net(Trained::any, 5);
  const ValueId at = net.conv(net.input(32, 32, 3), 1);
  const ValueId row = net.softmax(net.reshape(at, Shape{1, 1024}));
  expect_all(net.finish(net.join(net.dense(row, 1), net.dense(row, 1))), 4);
}

// The loop takes row after row of the input, gates lie in tiles of their own, several each where
// there are more than 64 units, and the results of all steps stay on the chip.
TEST(EdgetpuDecompileOwn, RecurrentLayers) {
  struct Size {
    int steps, depth, units;
  };
  for (const Size s : {Size{28, 28, 20}, Size{40, 12, 16}, Size{12, 8, 68}, Size{30, 300, 24}}) {
    SCOPED_TRACE(std::to_string(s.steps) + " steps, " + std::to_string(s.units) + " units");
    FamilyNetwork net(Trained::any, 3);
    const ValueId at = net.recurrent(net.input_of({1, s.steps, s.depth}), s.units);
    expect_all(net.finish(net.dense(net.reshape(at, {1, int64_t{s.steps} * s.units}), 10)), 2);
  }
}

// Copies enlarge the smaller one of two pictures that are added.
TEST(EdgetpuDecompileOwn, PicturesThatAreEnlargedByCopies) {
  for (const int side : {5, 10, 12, 20}) {
    SCOPED_TRACE(side);
    FamilyNetwork net(Trained::any, 5);
    const ValueId large = net.conv(net.input(side, side, 4), 16, 3);
    const ValueId small = side < 12 ? net.greatest_of(large, 3, 2) : net.conv(large, 16, 3, 2);
    const ValueId again =
        net.resized(OpKind::resize_nearest_neighbor, small, side, side, false, false);
    const Graph graph = net.finish(net.conv(net.sum(large, again), 8));
    expect_all(graph, 4);
    expect_same_bytes(graph);
  }
}

TEST(EdgetpuDecompileOwn, NumbersThatAreAdded) {
  for (const OpKind kind : {OpKind::add, OpKind::sub}) {
    FamilyNetwork net(Trained::any, 5);
    const ValueId at = net.with_number(net.conv(net.input(16, 16, 4), 16, 3), kind);
    expect_all(net.finish(net.conv(at, 8)), 3);
  }
}

// Each tile has its part of the constant.
TEST(EdgetpuDecompileOwn, AProductWithAPictureOfConstants) {
  for (const int channels : {1, 4, 6}) {
    FamilyNetwork net(Trained::any, 5);
    const ValueId at = net.conv(net.input(24, 20, 4), channels, 3);
    expect_all(net.finish(net.product(at, net.noise(net.shape(at)))), 2);
  }
}

// Two sums with the same numbers: which inputs each reads tells them apart.
TEST(EdgetpuDecompileOwn, SumsOfInputsOfOnePosition) {
  FamilyNetwork net(Trained::any, 5);
  std::array<ValueId, 4> in{};
  for (ValueId& v : in) v = net.input_of({1, 17});
  const ValueId first = net.sum(in[0], in[1]);
  const ValueId second = net.sum(in[2], in[3]);
  Graph graph = net.finish(first);
  graph.outputs.push_back(second);
  graph.value(in[2]).quant = graph.value(in[0]).quant;
  graph.value(in[3]).quant = graph.value(in[1]).quant;
  graph.value(second).quant = graph.value(first).quant;
  expect_all(graph, 2);
}

// EDGETWIN_RANDOM_NETWORKS: how many.
uint32_t wanted_networks() {
  const char* given = std::getenv("EDGETWIN_RANDOM_NETWORKS");
  if (given != nullptr) return static_cast<uint32_t>(std::strtoul(given, nullptr, 10));
  return kInstrumented ? 3 : 30;
}

// Of operators whose every form is read back; the picture's sides are no multiple of 4 everywhere.
class ReadableNetwork : public FamilyNetwork {
 public:
  explicit ReadableNetwork(uint32_t seed) : FamilyNetwork(Trained::any, seed) {}

  Graph make() {
    ValueId at = input(16 + 4 * below(8), 16 + 4 * below(8), 4);
    at = conv(at, 4 + 4 * below(8), 3, 1 + below(2));
    const int count = 2 + below(5);
    for (int k = 0; k < count; ++k) at = next(at);
    return finish(at);
  }

 private:
  ValueId next(ValueId at) {
    switch (below(7)) {
      case 0:
        return conv(at, 4 + 4 * below(12), 1 + 2 * below(3), 1);
      case 1:
        return deep(at, 3, 1);
      case 2:
        return greatest_of(at, 2 + below(2), 1);
      case 3:
        return sum(at, conv(at, static_cast<int>(shape(at)[3]), 3));
      case 4:
        return difference(conv(at, static_cast<int>(shape(at)[3])), at);
      case 5:
        return relu6(at);
      default:
        return conv(at, 4 + below(30));
    }
  }
};

TEST(EdgetpuCompileMany, LayersComeBackFromTheirPrograms) {
  constexpr uint32_t kFirst = 9000;
  std::string which;
  for (uint32_t seed = kFirst; seed < kFirst + wanted_networks(); ++seed) {
    const Proof proof = read_again(ReadableNetwork(seed).make());
    for (const std::string& o : proof.open) which += std::to_string(seed) + ": " + o + "\n";
  }
  EXPECT_EQ(which, "");
}

// Of all operators: not every layer comes back, and none of those that do is another one.
TEST(EdgetpuCompileMany, NoLayerComesBackAsAnother) {
  constexpr uint32_t kFirst = 7000;
  size_t layers = 0;
  size_t equal = 0;
  for (uint32_t seed = kFirst; seed < kFirst + wanted_networks(); ++seed) {
    SCOPED_TRACE(seed);
    const Proof proof = read_again(FamilyNetwork(Trained::any, seed).any());
    layers += proof.layers;
    equal += proof.decompiled;
  }
  RecordProperty("layers", static_cast<int>(layers));
  RecordProperty("equal", static_cast<int>(equal));
  EXPECT_GE(equal * 100, layers * 88);  // 98 % of 300 networks
}

}  // namespace
}  // namespace edgetwin::edgetpu::compiler

#include "targets/edgetpu/decompile/layers/band_joins.h"

#include <gtest/gtest.h>

namespace edgetwin::edgetpu {
namespace {

constexpr int kChannels = 5;  // of a row; eight with the filler
constexpr uint8_t kZero = 7;  // of the weights

// A head whose `per` rows at each position are padded to words, but for the filler at the end.
DecompiledLayer head(int size, int per) {
  DecompiledLayer l;
  l.type = LayerType::conv;
  l.out = {size, size, per * 8 - 3};
  l.in = {size, size, 2};
  l.shape.in = 2;
  l.shape.out = l.out.c;
  l.inputs = {{{input_producer(0)}}};
  l.numbers.output_zero_point = 3;
  l.content.zero_points = {kZero};
  for (int o = 0; o < l.out.c; ++o) {
    const bool filler = o % 8 >= kChannels;
    for (int i = 0; i < 2; ++i) {
      l.content.weights.push_back(filler ? std::byte{kZero} : static_cast<std::byte>(20 + o));
    }
    l.content.bias.push_back(filler ? 0 : 100 + o);
  }
  return l;
}

DecompiledLayer rescale(Producer from, const DecompiledLayer& of) {
  DecompiledLayer l;
  l.type = LayerType::quantize;
  l.inputs = {{{from}}};
  l.in = l.out = of.out;
  l.numbers.output_zero_point = 9;
  return l;
}

// Heads of 2 x 2 and 4 x 4 with two rows at each position: 40 rows of five channels.
struct Detector {
  Layers layers;
  darwinn::Executable inference;
  Detector() {
    darwinn::Layer input;
    input.y_dim = input.x_dim = 4;
    input.z_dim = 2;
    inference.inputs = {input};
    darwinn::Layer output;
    output.y_dim = 1;
    output.x_dim = 40;
    output.z_dim = kChannels;
    output.numerics = darwinn::Numerics{9, 0.5F, {}, {}};
    inference.outputs = {output};
    auto& all = layers.layers;
    all.push_back(head(2, 2));
    all.push_back(rescale(0, all[0]));
    all.push_back(head(4, 2));
    all.push_back(rescale(2, all[2]));
    layers.outputs = {{0, {{3}}}};
  }
  void join() { join_maps(layers, inference); }
};

TEST(JoinMaps, LargestMapFirstAndWithoutFiller) {
  Detector d;
  d.join();
  const Operand& joined = d.layers.outputs[0].from;
  EXPECT_EQ(joined.from, (std::vector<Producer>{3, 1}));
  EXPECT_EQ(joined.row_channels, kChannels);
  for (const size_t l : {size_t{0}, size_t{2}}) {
    const DecompiledLayer& head = d.layers.layers[l];
    EXPECT_EQ(head.out.c, 10);
    EXPECT_EQ(head.shape.out, 10);
    EXPECT_EQ(head.content.bias,
              (std::vector<int32_t>{100, 101, 102, 103, 104, 108, 109, 110, 111, 112}));
    ASSERT_EQ(head.content.weights.size(), 20U);
    EXPECT_EQ(head.content.weights[9], std::byte{24});
    EXPECT_EQ(head.content.weights[10], std::byte{28});
    EXPECT_EQ(d.layers.layers[l + 1].out.c, 10);
    EXPECT_EQ(d.layers.layers[l + 1].in.c, 10);
  }
}

TEST(JoinMaps, AFunctionBehindTheJoiningReadsIt) {
  Detector d;
  DecompiledLayer logistic;
  logistic.type = LayerType::logistic;
  logistic.inputs = {{{3}}};
  logistic.in = logistic.out = d.layers.layers[3].out;
  logistic.numbers.input_zero_point = 9;
  d.layers.layers.push_back(logistic);
  d.layers.outputs[0].from.from = {4};
  d.join();
  const DecompiledLayer& after = d.layers.layers[4];
  EXPECT_EQ(d.layers.outputs[0].from, (Operand{{4}}));
  ASSERT_EQ(after.inputs.size(), 1U);
  EXPECT_EQ(after.inputs[0].from, (std::vector<Producer>{3, 1}));
  EXPECT_EQ(after.out, (Extent2D{1, 40, kChannels}));
}

// Nothing is joined, and nothing cut, where the parts are not the whole output.
void expect_untouched(Detector& d) {
  d.join();
  EXPECT_EQ(d.layers.outputs[0].from, (Operand{{3}}));
  EXPECT_EQ(d.layers.layers[0].out.c, 13);
  EXPECT_EQ(d.layers.layers[2].content.weights.size(), 26U);
}

TEST(JoinMaps, OtherNumbersOfRowsStay) {
  Detector d;
  d.inference.outputs[0].x_dim = 41;
  expect_untouched(d);
}

TEST(JoinMaps, FillerThatCountsIsNone) {
  Detector weight;
  weight.layers.layers[0].content.weights[2 * 6] = std::byte{1};
  expect_untouched(weight);
  Detector bias;
  bias.layers.layers[2].content.bias[7] = 1;
  expect_untouched(bias);
}

TEST(JoinMaps, OtherZeroPointsAreNoParts) {
  Detector d;
  d.layers.layers[1].numbers.output_zero_point = 8;
  expect_untouched(d);
}

TEST(JoinMaps, WhatSomebodyElseReadsIsNoPart) {
  Detector d;
  DecompiledLayer reader = rescale(1, d.layers.layers[1]);
  reader.numbers.output_zero_point = 1;
  d.layers.layers.push_back(reader);
  expect_untouched(d);
}

TEST(JoinMaps, MapsOfTheHostArePartsToo) {
  Detector d;
  d.inference.inputs.push_back(d.inference.inputs[0]);
  darwinn::Layer& map = d.inference.inputs[1];
  map.y_dim = map.x_dim = 8;
  map.z_dim = kChannels;
  map.numerics = darwinn::Numerics{9, 0.5F, {}, {}};
  d.inference.outputs[0].x_dim = 40 + 64;
  d.join();
  EXPECT_EQ(d.layers.outputs[0].from.from, (std::vector<Producer>{input_producer(1), 3, 1}));
}

}  // namespace
}  // namespace edgetwin::edgetpu

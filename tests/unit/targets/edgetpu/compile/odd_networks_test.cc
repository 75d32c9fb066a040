// Networks of sizes and orders that families do not have: each was wrong, or ended the program,
// before.
#include <gtest/gtest.h>

#include "unit/targets/edgetpu/compile/family_networks.h"
#include "unit/targets/edgetpu/compile/on_chip.h"

namespace edgetwin::edgetpu::compiler {
namespace {

class OddNetwork : public FamilyNetwork {
 public:
  using FamilyNetwork::FamilyNetwork;
  ValueId alone(OpKind kind, ValueId x) {
    const ValueId to = value(shape(x), 0.02F);
    add(kind, NoAttrs{}, {x}, to);
    return to;
  }
  ValueId greatest_of_two(ValueId x, ValueId y) {
    const ValueId to = value(shape(x), 1.0F);
    same_quantization(to, x);
    add(OpKind::maximum, NoAttrs{}, {x, y}, to);
    return to;
  }
};

void expect_whole(const Graph& graph) {
  const Partition p = partition_of(graph);
  EXPECT_EQ(p.groups.size(), 1U);
  for (const Assignment& a : p.ops) EXPECT_EQ(a.group, 0) << a.op;
  expect_proven(graph);
}

// A vector of what was a picture before: its elements stay in the tiles of the picture.
TEST(EdgetpuCompileOdd, ElementsOfAReshapedPicture) {
  for (const OpKind kind : {OpKind::relu, OpKind::relu6, OpKind::quantize}) {
    OddNetwork net(Trained::int8, 1);
    const ValueId at = net.reshape(net.input_of({4, 3}), {1, 12});
    expect_whole(net.finish(net.alone(kind, at)));
  }
  const auto scores = [](OddNetwork& net) {
    return net.logistic(net.reshape(net.conv(net.input(4, 4, 6), 3), {1, 48}));
  };
  OddNetwork dense(Trained::int8, 2), chances(Trained::uint8, 3), again(Trained::int8, 4);
  expect_whole(dense.finish(dense.dense(scores(dense), 10)));
  expect_whole(chances.finish(chances.softmax(scores(chances))));
  expect_whole(again.finish(again.conv(again.reshape(scores(again), {1, 4, 2, 6}), 8, 3)));
}

TEST(EdgetpuCompileOdd, PairsOfReshapedPictures) {
  for (int what = 0; what < 6; ++what) {
    SCOPED_TRACE(what);
    OddNetwork net(Trained::int8, 5);
    const ValueId at = net.reshape(net.input_of({4, 6}), {1, 24});
    if (what == 0) expect_whole(net.finish(net.difference(at, at)));
    if (what == 1) expect_whole(net.finish(net.sum(at, net.noise({1, 24}))));
    if (what == 2) expect_whole(net.finish(net.product(at, net.noise({1, 24}))));
    if (what == 3) expect_whole(net.finish(net.with_number(at, OpKind::mul)));
    if (what == 4) expect_whole(net.finish(net.greatest_of_two(at, at)));
    // The other operand is a vector: not at once.
    if (what == 5) expect_proven(net.finish(net.sum(at, net.dense(net.input_of({1, 9}), 24))));
  }
}

// A vector that leaves first does so, though the picture after it could leave sooner.
TEST(EdgetpuCompileOdd, OutputsKeepTheirOrder) {
  OddNetwork net(Trained::int8, 6);
  const ValueId in = net.input(25, 18, 3);
  const ValueId mean = net.average(in), first = net.conv(in, 76, 3), second = net.conv(in, 65);
  expect_whole(net.ends({mean, first, second}));
}

// Rows of one to three columns that begin inside of a word.
TEST(EdgetpuCompileOdd, PicturesOfFewColumns) {
  for (const int columns : {1, 2, 3}) {
    for (const int channels : {1, 2, 3}) {
      for (const int rows : {9, 12, 26, 40}) {
        SCOPED_TRACE(std::to_string(rows) + "x" + std::to_string(columns) + "x" +
                     std::to_string(channels));
        OddNetwork net(Trained::uint8, 7);
        expect_whole(net.finish(net.alone(OpKind::relu, net.input(rows, columns, channels))));
      }
    }
  }
}

// The decompiler, which the proof asks, met operands that nobody made, constants as outputs and
// pairs of pixels along a picture of one column.
TEST(EdgetpuCompileOdd, WhatIsReadAgainNeedNotBeFound) {
  {
    OddNetwork net(Trained::int8, 8);
    expect_proven(net.finish(net.mean(net.input_of({1, 16, 3}), {0}, true)));
  }
  {
    OddNetwork net(Trained::int8, 9);
    expect_proven(net.finish(net.pool(OpKind::average_pool_2d, net.input(13, 20, 32), {1, 1, 3})));
  }
  {
    OddNetwork net(Trained::int8, 10);
    const ValueId in = net.input(14, 6, 3);
    expect_proven(net.finish(net.join_along(2, {in, net.noise({1, 14, 3, 3}), in})));
  }
  for (const int rows : {24, 31}) {
    OddNetwork net(Trained::int8, 11);
    const ValueId in = net.conv(net.input(rows, 1, 28), 52);
    expect_proven(net.finish(net.pool(OpKind::max_pool_2d, in, {3, 1, 2, false})));
  }
}

// A rescaling to the same scale and another zero point is a layer of its own.
TEST(EdgetpuCompileOdd, AQuantizeOfTheSameScale) {
  OddNetwork net(Trained::int8, 12);
  const ValueId at = net.dense(net.input(1, 1, 370), 32);
  const ValueId to = net.alone(OpKind::quantize, at);
  Graph graph = net.finish(to);
  graph.value(at).quant = Quant::affine(0.5F, -19);
  graph.value(to).quant = Quant::affine(0.5F, -59);
  expect_whole(graph);
}

void expect_vendors(Graph graph) {
  Model model;
  model.format = "tflite";
  model.graphs.push_back(std::move(graph));
  const auto made = compile_model(model, darwinn::kCurrentRuntimeVersion, Style::vendor);
  ASSERT_TRUE(made.ok()) << to_text(made.error());
  ASSERT_EQ(made->partition.groups.size(), 1U);
  expect_proven(model, *made, 1, true);
}

// In the vendor's style counters go on from operator to operator: a recurrent layer that is not the
// first one, and a picture after one that comes byte by byte, waited without end.
TEST(EdgetpuCompileOdd, VendorsCountersBeginAnew) {
  OddNetwork later(Trained::int8, 13);
  expect_vendors(later.finish(later.recurrent(later.logistic(later.input_of({1, 28, 28})), 20)));
  OddNetwork net(Trained::int8, 14);
  const ValueId loose = net.input(14, 24, 65), whole = net.input(14, 21, 20);
  expect_vendors(net.ends({net.conv(loose, 28, 3), net.conv(whole, 17, 3)}));
  // Inputs of a recurrent layer come as bytes for every tile, before the picture.
  OddNetwork beside(Trained::int8, 15);
  const ValueId steps = beside.input_of({1, 28, 28}), picture = beside.input(26, 2, 16);
  expect_vendors(beside.ends({beside.recurrent(steps, 20), beside.conv(picture, 52, 3)}));
}

// A picture that is too large for all channels of its pool at once was gathered all the same, over
// what was on its way.
TEST(EdgetpuCompileOdd, VendorsPoolOfSomeChannelsAtATime) {
  OddNetwork net(Trained::int8, 16);
  expect_vendors(net.finish(net.mean(net.input(88, 35, 40), {1, 2}, false)));
}

}  // namespace
}  // namespace edgetwin::edgetpu::compiler

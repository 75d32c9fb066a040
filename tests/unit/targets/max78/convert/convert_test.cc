// Networks of every pattern that becomes layers: they keep their behaviour, and the machine
// computes what the simulation does, so that processors, gaps and offsets are right.
#include "targets/max78/convert/convert.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "unit/targets/max78/convert/conversion_check.h"
#include "unit/targets/max78/convert/net_builder.h"

namespace edgetwin::max78 {
namespace {

ConversionResult converted(Net& net, ai8x::Device device, const ConvertSettings& given = {}) {
  ConvertSettings s = given;
  s.device = device;
  auto result = convert(net.graph(), net.samples(3), s);
  EXPECT_TRUE(result.ok()) << to_text(result.error());
  return result.ok() ? std::move(*result) : ConversionResult{};
}

// Converts for both chips and holds the result against the float network and the machine. Gives the
// draft for the last chip.
Draft expect_keeps(Net& net, double decibels, const ConvertSettings& settings = {}) {
  Draft draft;
  for (const auto device : {ai8x::Device::max78000, ai8x::Device::max78002}) {
    SCOPED_TRACE(ai8x::limits(device).name);
    const Graph graph = net.graph();
    const ConversionResult r = converted(net, device, settings);
    for (const Error& e : r.misfits) ADD_FAILURE() << to_text(e);
    if (!r.conversion) return draft;
    const auto samples = net.samples(3);
    const auto noise = measure(*r.conversion, graph, samples, 1);
    EXPECT_TRUE(noise.ok());
    if (noise.ok()) {
      EXPECT_GT(quantize::decibels(noise->analysis.output_noise), decibels);
      for (const auto& l : noise->analysis.layers) {
        SCOPED_TRACE(l.layer);
        EXPECT_GT(quantize::decibels(l.accumulated), decibels - 10);
      }
    }
    expect_machine_agrees(*r.conversion, samples[0]);
    draft = r.conversion->draft;
  }
  return draft;
}

// The messages of all misfits, one to a line.
std::string misfits_of(Net& net, ai8x::Device device) {
  std::string text;
  for (const Error& e : converted(net, device).misfits) {
    text += e.place.layer + ": " + e.message + "\n";
  }
  return text;
}

TEST(Convert, SmallClassifier) {
  Net net({1, 3, 16, 16});
  net.conv("x", "a", {16, 3, 3, 3}, 1, true).pool("MaxPool", "a", "p", 2, 2);
  net.conv("p", "b", {32, 16, 3, 3}, 1, true).pool("MaxPool", "b", "q", 2, 2);
  net.node("Flatten", {"q"}, "f").gemm("f", "classes", 10, 512).output("classes");
  const Draft d = expect_keeps(net, 20);
  // The pool in front of a flattened layer has a layer of its own, the other one has not.
  ASSERT_EQ(d.layers.size(), 4U);
  EXPECT_EQ(d.layers[1].pooling, ai8x::Pooling::max);
  EXPECT_EQ(d.layers[2].op, ai8x::Operator::none);
  EXPECT_TRUE(d.layers[3].flatten);
}

TEST(Convert, MeanOfThePictureAndSoftmax) {
  Net net({1, 4, 12, 12});
  net.conv("x", "a", {24, 4, 3, 3}, 1, true).node("GlobalAveragePool", {"a"}, "g");
  net.node("Flatten", {"g"}, "f").gemm("f", "c", 5, 24);
  net.node("Softmax", {"c"}, "s").output("s");
  const ConversionResult r = converted(net, ai8x::Device::max78000);
  ASSERT_TRUE(r.conversion);
  EXPECT_EQ(r.conversion->draft.layers.size(), 2U);
  EXPECT_TRUE(std::any_of(r.findings.begin(), r.findings.end(), [](const Finding& f) {
    return f.message.find("left to the host") != std::string::npos;
  }));
}

TEST(Convert, ResidualsWithReluAndWithMoreThan64Channels) {
  Net net({1, 16, 8, 8});
  net.conv("x", "a", {16, 16, 3, 3}, 1, true).conv("a", "b", {16, 16, 3, 3}, 1, false);
  net.node("Add", {"b", "a"}, "s").node("Relu", {"s"}, "r");
  net.conv("r", "w", {80, 16, 1, 1}, 0, true).conv("w", "v", {80, 80, 3, 3}, 1, false);
  net.node("Sub", {"v", "w"}, "d").node("Relu", {"d"}, "e").conv("e", "y", {4, 80, 1, 1}, 0, false);
  net.output("y");
  expect_keeps(net, 16);
}

TEST(Convert, SumInFrontOfAConvolutionIsInItsLayer) {
  Net net({1, 8, 8, 8});
  net.conv("x", "a", {8, 8, 3, 3}, 1, false).conv("x", "b", {8, 8, 1, 1}, 0, false);
  net.node("Add", {"a", "b"}, "s");
  net.weights("w", {6, 8, 3, 3}).node("Conv", {"s", "w"}, "y").output("y");
  const Draft d = expect_keeps(net, 20);
  ASSERT_EQ(d.layers.size(), 3U);
  EXPECT_EQ(d.layers[2].eltwise, ai8x::Eltwise::add);
}

TEST(Convert, JoinedChannels) {
  for (const int64_t channels : {8, 20, 48, 64}) {
    SCOPED_TRACE(channels);
    Net net({1, 8, 6, 6});
    net.conv("x", "a", {channels, 8, 3, 3}, 1, true)
        .conv("a", "b", {channels, channels, 1, 1}, 0, true);
    net.node("Concat", {"a", "b"}, "j", {integer_attribute("axis", 1)});
    net.conv("j", "y", {8, 2 * channels, 3, 3}, 1, true).pool("AveragePool", "j", "p", 2, 2);
    net.conv("p", "z", {8, 2 * channels, 1, 1}, 0, false).output("y").output("z");
    expect_keeps(net, 17);
  }
}

TEST(Convert, NarrowPartsAreFilledUp) {
  Net net({1, 8, 6, 6});
  net.conv("x", "a", {8, 8, 3, 3}, 1, true).conv("x", "b", {12, 8, 1, 1}, 0, true);
  net.node("Concat", {"a", "b"}, "j", {integer_attribute("axis", 1)});
  net.conv("j", "y", {8, 20, 3, 3}, 1, true).conv("j", "z", {4, 20, 1, 1}, 0, false);
  net.output("y").output("z");
  expect_keeps(net, 20);
  // Too many for one pass, and not whole passes.
  Net wide({1, 8, 6, 6});
  wide.conv("x", "a", {60, 8, 3, 3}, 1, true).conv("x", "b", {12, 8, 1, 1}, 0, true);
  wide.conv("x", "c", {4, 8, 1, 1}, 0, true);
  wide.node("Concat", {"a", "b", "c"}, "j", {integer_attribute("axis", 1)});
  wide.conv("j", "y", {8, 76, 3, 3}, 1, true).output("y");
  expect_keeps(wide, 20);
}

TEST(Convert, OneDimension) {
  Net net({1, 6, 64});
  net.conv("x", "a", {16, 6, 9}, 1, true).pool("MaxPool", "a", "p", 2, 2, 1);
  net.conv("p", "b", {24, 16, 3}, 1, true, 2).conv("b", "c", {24, 24, 1}, 0, true);
  net.node("GlobalAveragePool", {"c"}, "g").node("Flatten", {"g"}, "f").gemm("f", "y", 4, 24);
  net.output("y");
  expect_keeps(net, 12);
}

TEST(Convert, PaddingOnOneSideAndDilation) {
  Net net({1, 4, 40});
  net.integers("pads", {0, 0, 2, 0, 0, 0}).node("Pad", {"x", "pads"}, "padded");
  net.weights("w", {8, 4, 3})
      .node("Conv", {"padded", "w"}, "a", {integers_attribute("dilations", {1})});
  net.weights("v", {8, 8, 3}).node("Conv", {"a", "v"}, "y", {integers_attribute("dilations", {4})});
  net.output("y");
  expect_keeps(net, 20);
}

TEST(Convert, TransposedConvolutions) {
  Net net({1, 8, 5, 6});
  const auto two = integers_attribute("strides", {2, 2});
  net.weights("w", {8, 12, 3, 3}, 3.0F)
      .node("ConvTranspose", {"x", "w"}, "a",
            {two, integers_attribute("pads", {1, 1, 1, 1}),
             integers_attribute("output_padding", {1, 1})});
  net.weights("v", {12, 6, 2, 2}, 3.0F).node("ConvTranspose", {"a", "v"}, "y", {two}).output("y");
  expect_keeps(net, 20);
}

TEST(Convert, StridesBecomeTheReadersPooling) {
  Net net({1, 3, 15, 17});
  net.conv("x", "a", {8, 3, 3, 3}, 1, true, 2).conv("a", "b", {8, 8, 1, 1}, 0, true, 2);
  net.conv("b", "c", {8, 8, 3, 3}, 1, true, 2).pool("MaxPool", "c", "y", 2, 1).output("y");
  expect_keeps(net, 18);
}

TEST(Convert, GroupsAndDepthwise) {
  Net net({1, 8, 9, 9});
  net.conv("x", "a", {16, 4, 3, 3}, 1, true, 1, 2).conv("a", "b", {16, 1, 3, 3}, 1, true, 1, 16);
  net.conv("b", "c", {32, 1, 3, 3}, 1, true, 1, 16).conv("c", "y", {8, 32, 1, 1}, 0, false);
  net.output("y");
  const Draft d = expect_keeps(net, 18);
  EXPECT_EQ(d.layers[1].groups, 16);  // the MAX78002 computes them apart
}

TEST(Convert, FilterAsLargeAsThePicture) {
  Net net({1, 4, 10, 10});
  net.conv("x", "a", {8, 4, 3, 3}, 1, true).pool("MaxPool", "a", "p", 2, 2);
  net.conv("p", "y", {6, 8, 5, 5}, 0, false).output("y");
  const Draft d = expect_keeps(net, 20);
  EXPECT_TRUE(d.layers.back().flatten);
}

TEST(Convert, AbsClipAndConstants) {
  Net net({1, 4, 8, 8});
  net.conv("x", "a", {8, 4, 3, 3}, 1, false).node("Abs", {"a"}, "m");
  net.conv("m", "b", {8, 8, 3, 3}, 1, false);
  net.floats("low", {}, {0.0F}).floats("high", {}, {0.75F}).node("Clip", {"b", "low", "high"}, "c");
  net.conv("c", "d", {8, 8, 1, 1}, 0, false).floats("k", {}, {0.37F}).node("Mul", {"d", "k"}, "e");
  net.floats("o", {1, 8, 1, 1}, net.noise(8, 0.2F)).node("Add", {"e", "o"}, "y").output("y");
  const Draft d = expect_keeps(net, 20);
  ASSERT_EQ(d.layers.size(), 3U);
  EXPECT_EQ(d.layers[0].activation, ai8x::Activation::abs);
  EXPECT_DOUBLE_EQ(d.tensor(d.layers[1].out).step() * 127, 0.75);
}

TEST(Convert, ReluBehindAMeanHasALayer) {
  Net net({1, 4, 8, 8});
  net.conv("x", "a", {8, 4, 3, 3}, 1, false).pool("AveragePool", "a", "p", 2, 2);
  net.node("Relu", {"p"}, "r").conv("r", "y", {8, 8, 3, 3}, 1, false).output("y");
  const Draft d = expect_keeps(net, 16);
  EXPECT_EQ(d.layers.size(), 3U);
  EXPECT_TRUE(d.layers[1].identity);
}

TEST(Convert, PaddedPools) {
  Net net({1, 4, 11, 11});
  net.conv("x", "a", {8, 4, 3, 3}, 1, true);
  const auto three = integers_attribute("kernel_shape", {3, 3});
  const auto pads = integers_attribute("pads", {1, 1, 1, 1});
  net.node("MaxPool", {"a"}, "p", {three, pads, integers_attribute("strides", {2, 2})});
  net.conv("p", "b", {8, 8, 3, 3}, 1, false);
  net.node("AveragePool", {"b"}, "m", {three, pads, integer_attribute("count_include_pad", 1)});
  net.conv("m", "y", {8, 8, 1, 1}, 0, false).output("y");
  expect_keeps(net, 15);
  // Below zero a border of zeros would be the largest.
  Net below({1, 4, 11, 11});
  below.conv("x", "a", {8, 4, 3, 3}, 1, false).node("MaxPool", {"a"}, "y", {three, pads});
  below.output("y");
  EXPECT_NE(misfits_of(below, ai8x::Device::max78000).find("padding"), std::string::npos);
}

TEST(Convert, ConstantsPerChannelHaveALayer) {
  Net net({1, 3, 8, 8});
  net.floats("mean", {1, 3, 1, 1}, {0.1F, -0.2F, 0.3F}).node("Sub", {"x", "mean"}, "c");
  net.floats("scale", {3, 1, 1}, {0.5F, 0.7F, 0.9F}).node("Div", {"c", "scale"}, "n");
  net.floats("one", {}, {1.0F})
      .node("Sub", {"one", "n"}, "t")
      .conv("t", "y", {8, 3, 3, 3}, 1, true);
  net.output("y");
  expect_keeps(net, 20);
}

TEST(Convert, PartsOfTheChannelsAndTwiceTheSize) {
  Net net({1, 4, 6, 5});
  net.conv("x", "a", {12, 4, 3, 3}, 1, true);
  net.integers("s", {4}).integers("e", {12}).integers("ax", {1});
  net.node("Slice", {"a", "s", "e", "ax"}, "b");
  net.floats("scales", {4}, {1.0F, 1.0F, 2.0F, 2.0F});
  net.node("Resize", {"b", "", "scales"}, "u",
           {onnx::text_attribute("mode", "nearest"),
            onnx::text_attribute("coordinate_transformation_mode", "asymmetric"),
            onnx::text_attribute("nearest_mode", "floor")});
  net.conv("u", "y", {4, 8, 3, 3}, 1, false).output("y");
  expect_keeps(net, 20);
}

TEST(Convert, InputTooLargeForWordsOfFourChannels) {
  Net net({1, 3, 100, 100});
  net.conv("x", "a", {4, 3, 1, 1}, 0, true, 4).conv("a", "y", {4, 4, 3, 3}, 1, false).output("y");
  const ConversionResult r = converted(net, ai8x::Device::max78000);
  for (const Error& e : r.misfits) ADD_FAILURE() << to_text(e);
  ASSERT_TRUE(r.conversion);
  EXPECT_TRUE(r.conversion->draft.planes);  // 100*100*4 = 40000 bytes are more than 32768
  expect_machine_agrees(*r.conversion, net.samples(1)[0]);
}

TEST(Convert, NarrowWeights) {
  const double wanted[] = {3, 14, 22};
  int i = 0;
  for (const int bits : {2, 4, 8}) {
    SCOPED_TRACE(bits);
    Net net({1, 8, 8, 8});
    net.conv("x", "a", {16, 8, 3, 3}, 1, true).conv("a", "y", {8, 16, 3, 3}, 1, false).output("y");
    ConvertSettings s;
    s.bits = bits;
    expect_keeps(net, wanted[i++], s);
    s.bits = 8;
    s.bits_of["a"] = bits;
    const Draft d = expect_keeps(net, wanted[i - 1], s);
    EXPECT_EQ(d.layers[0].bits, bits);
    EXPECT_EQ(d.layers[1].bits, 8);
  }
}

TEST(Convert, AllMethods) {
  for (const auto& m : quantize::all_methods()) {
    SCOPED_TRACE(m.name);
    Net net({1, 4, 8, 8});
    net.conv("x", "a", {8, 4, 3, 3}, 1, true).conv("a", "y", {8, 8, 3, 3}, 1, false).output("y");
    ConvertSettings s;
    s.method = m.method;
    s.correct_bias = true;
    expect_keeps(net, 15, s);
  }
}

TEST(Convert, MisfitsAreListedTogether) {
  Net net({1, 4, 8, 8});
  net.node("Tanh", {"x"}, "t").node("Sigmoid", {"t"}, "s").conv("s", "a", {4, 4, 9, 9}, 4, true);
  net.output("a");
  const std::string text = misfits_of(net, ai8x::Device::max78000);
  for (const char* node : {"Tanh", "Sigmoid", "Conv"}) {
    EXPECT_NE(text.find(node), std::string::npos) << text;
  }
}

TEST(Convert, DataMemoryIsCounted) {
  Net net({1, 4, 80, 80});
  net.conv("x", "a", {4, 4, 3, 3}, 1, true).conv("a", "b", {4, 4, 3, 3}, 1, true);
  net.node("Add", {"a", "b"}, "y").output("y");
  const ConversionResult r = converted(net, ai8x::Device::max78000);
  ASSERT_GE(r.misfits.size(), 2U);
  EXPECT_EQ(r.misfits[1].code, ErrorCode::ai8x_network);
  ASSERT_FALSE(r.misfits[1].details.empty());
  EXPECT_NE(r.misfits[1].details[0].find("80*80*4"), std::string::npos);
}

TEST(Convert, TooManyLayersAndWeightsAreMisfitsOfTheRules) {
  Net net({1, 64, 4, 4});
  std::string from = "x";
  for (int i = 0; i < 33; ++i) {
    const std::string to = "c" + std::to_string(i);
    net.conv(from, to, {64, 64, 3, 3}, 1, true);
    from = to;
  }
  net.output(from);
  const ConversionResult r = converted(net, ai8x::Device::max78000);
  ASSERT_FALSE(r.misfits.empty());
  EXPECT_FALSE(r.conversion);
}

TEST(Convert, SameBytesForAnyNumberOfThreads) {
  std::string yaml;
  Bytes checkpoint;
  for (const int threads : {1, 3}) {
    Net net({1, 4, 8, 8});
    net.conv("x", "a", {8, 4, 3, 3}, 1, true).conv("a", "y", {8, 8, 3, 3}, 1, false).output("y");
    ConvertSettings s;
    s.threads = threads;
    const ConversionResult r = converted(net, ai8x::Device::max78002, s);
    ASSERT_TRUE(r.conversion);
    if (threads > 1) {
      EXPECT_EQ(yaml, r.conversion->yaml);
      EXPECT_EQ(checkpoint, r.conversion->checkpoint);
    }
    yaml = r.conversion->yaml;
    checkpoint = r.conversion->checkpoint;
  }
}

}  // namespace
}  // namespace edgetwin::max78

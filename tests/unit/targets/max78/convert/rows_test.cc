// Linear layers over rows of features, and several inputs as one picture.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "targets/max78/convert/convert.h"
#include "targets/max78/convert/join_inputs.h"
#include "unit/targets/max78/convert/conversion_check.h"
#include "unit/targets/max78/convert/net_builder.h"

namespace edgetwin::max78 {
namespace {

using ::testing::HasSubstr;

Draft expect_rows(const Graph& graph, const std::vector<quantize::Sample>& samples) {
  const auto r = convert(graph, samples, {});
  EXPECT_TRUE(r.ok()) << to_text(r.error());
  if (!r.ok()) return {};
  for (const Error& e : r->misfits) ADD_FAILURE() << to_text(e);
  if (!r->conversion) return {};
  const auto noise = measure(*r->conversion, graph, samples, 1);
  EXPECT_TRUE(noise.ok());
  // Rows and features in the wrong order leave less than 6 dB.
  if (noise.ok()) {
    EXPECT_GT(quantize::decibels(noise->analysis.output_noise), 20);
  }
  expect_machine_agrees(*r->conversion, samples[0]);
  return r->conversion->draft;
}

TEST(RowsOfFeatures, AnInputThatMatMulReads) {
  Net net({1, 9, 24});
  net.weights("w1", {24, 20}).weights("w2", {20, 7});
  net.floats("b1", {20}, net.noise(20, 0.3F));
  net.node("MatMul", {"x", "w1"}, "m1").node("Add", {"m1", "b1"}, "a1").node("Relu", {"a1"}, "r1");
  net.node("MatMul", {"r1", "w2"}, "y").output("y");
  const Draft draft = expect_rows(net.graph(), net.samples(3));
  ASSERT_EQ(draft.layers.size(), 2U);
  EXPECT_EQ(draft.layers[0].op, ai8x::Operator::conv1d);
  EXPECT_EQ(draft.tensor(0).channels, 24);
  EXPECT_EQ(draft.tensor(0).h, 9);
}

TEST(RowsOfFeatures, BetweenTwoTransposes) {
  Net net({1, 6, 12});
  net.conv("x", "c", {10, 6, 3}, 1, true);
  net.node("Transpose", {"c"}, "t", {integers_attribute("perm", {0, 2, 1})});
  net.weights("w", {10, 8});
  net.floats("b", {8}, net.noise(8, 0.3F));
  net.node("MatMul", {"t", "w"}, "m").node("Add", {"m", "b"}, "a");
  net.node("Transpose", {"a"}, "u", {integers_attribute("perm", {0, 2, 1})});
  net.node("Relu", {"u"}, "v");
  net.conv("v", "y", {5, 8, 3}, 1, false).output("y");
  EXPECT_EQ(expect_rows(net.graph(), net.samples(3)).layers.size(), 3U);
}

TEST(RowsOfFeatures, WhatReadsThemOtherwiseIsRefused) {
  Net net({1, 9, 24});
  net.weights("w1", {24, 20});
  net.node("MatMul", {"x", "w1"}, "m");
  net.pool("MaxPool", "m", "y", 2, 2, 1).output("y");
  const auto r = convert(net.graph(), net.samples(1), {});
  ASSERT_TRUE(r.ok());
  ASSERT_FALSE(r->misfits.empty());
  EXPECT_THAT(to_text(r->misfits[0]), HasSubstr("rows of features"));
}

// Two inputs: (1, 3, 8, 8) and (1, 2, 8, 8).
std::vector<quantize::Sample> pair_samples(Net& net) {
  auto samples = net.samples(3);
  for (quantize::Sample& s : samples) {
    Tensor t = Tensor::zeros(DType::float32, {1, 2, 8, 8}).value();
    const std::vector<float> v = net.noise(128, 1.0F);
    std::copy(v.begin(), v.end(), t.as<float>().begin());
    s.push_back(std::move(t));
  }
  return samples;
}

TEST(SeveralInputs, AConcatOfAllOfThemIsTheInput) {
  Net net({1, 3, 8, 8});
  net.input("z", {1, 2, 8, 8});
  net.node("Concat", {"x", "z"}, "c", {integer_attribute("axis", 1)});
  net.conv("c", "y", {4, 5, 3, 3}, 1, false).output("y");
  Graph graph = net.graph();
  auto samples = pair_samples(net);
  const auto joined = join_inputs(graph, samples);
  ASSERT_TRUE(joined.ok());
  EXPECT_EQ(joined->text, "channels 0 to 2: 'x', 3 to 4: 'z'");
  ASSERT_TRUE(verify_graph(graph).ok());
  EXPECT_EQ(expect_rows(graph, samples).layers.size(), 1U);
}

TEST(SeveralInputs, PartsAreTakenWhereTheyAreUsedApart) {
  Net net({1, 3, 8, 8});
  net.input("z", {1, 2, 8, 8});
  net.conv("x", "a", {4, 3, 3, 3}, 1, false).conv("z", "b", {4, 2, 3, 3}, 1, false);
  net.node("Add", {"a", "b"}, "y").output("y");
  Graph graph = net.graph();
  auto samples = pair_samples(net);
  ASSERT_TRUE(join_inputs(graph, samples).ok());
  ASSERT_TRUE(verify_graph(graph).ok());
  EXPECT_GE(expect_rows(graph, samples).layers.size(), 5U);
}

TEST(SeveralInputs, OtherSizesStayApart) {
  Net net({1, 3, 8, 8});
  net.input("z", {1, 2, 4, 4});
  net.conv("x", "y", {4, 3, 3, 3}, 1, false).output("y");
  Graph graph = net.graph();
  auto samples = net.samples(1);
  const auto joined = join_inputs(graph, samples);
  ASSERT_TRUE(joined.ok());
  EXPECT_EQ(joined->text, "");
  EXPECT_EQ(graph.inputs.size(), 2U);
}

}  // namespace
}  // namespace edgetwin::max78

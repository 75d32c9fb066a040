// Filters that the device has not, as sums over shifted copies, and inputs folded into channels:
// they keep the float network's behaviour, and the machine computes what the simulation does.
#include <gtest/gtest.h>

#include "targets/max78/convert/convert.h"
#include "unit/targets/max78/convert/conversion_check.h"
#include "unit/targets/max78/convert/net_builder.h"

namespace edgetwin::max78 {
namespace {

Draft expect_wide(Net& net, const ConvertSettings& given = {}) {
  Draft draft;
  for (const auto device : {ai8x::Device::max78000, ai8x::Device::max78002}) {
    SCOPED_TRACE(ai8x::limits(device).name);
    ConvertSettings s = given;
    s.device = device;
    const Graph graph = net.graph();
    const auto samples = net.samples(3);
    const auto r = convert(graph, samples, s);
    EXPECT_TRUE(r.ok()) << to_text(r.error());
    if (!r.ok()) return draft;
    for (const Error& e : r->misfits) ADD_FAILURE() << to_text(e);
    if (!r->conversion) return draft;
    const auto noise = measure(*r->conversion, graph, samples, 1);
    EXPECT_TRUE(noise.ok());
    // One tap in the wrong place leaves less than 6 dB.
    if (noise.ok()) {
      EXPECT_GT(quantize::decibels(noise->analysis.output_noise), 20);
    }
    expect_machine_agrees(*r->conversion, samples[0]);
    draft = r->conversion->draft;
  }
  return draft;
}

Net& window(Net& net, const std::vector<int64_t>& filter, const std::vector<int64_t>& pads,
            int64_t stride, const std::vector<int64_t>& dilations, int64_t group = 1) {
  net.weights("w", filter);
  return net.node(
      "Conv", {"x", "w"}, "y",
      {integers_attribute("pads", pads), integers_attribute("strides", {stride, stride}),
       integers_attribute("dilations", dilations), integer_attribute("group", group)});
}

TEST(WideWindows, FiltersOfAnySize) {
  struct Row {
    std::vector<int64_t> filter, pads;
    int64_t stride;
    std::vector<int64_t> dilations;
    int64_t group;
    size_t layers;  // with the one that leaves out pixels, which the stride of an output needs
  };
  const Row rows[] = {
      {{5, 4, 5, 5}, {2, 2, 2, 2}, 1, {1, 1}, 1, 2}, {{5, 4, 5, 5}, {0, 0, 0, 0}, 1, {1, 1}, 1, 2},
      {{5, 4, 5, 5}, {1, 1, 1, 1}, 1, {1, 1}, 1, 2}, {{5, 4, 7, 7}, {3, 3, 3, 3}, 1, {1, 1}, 1, 3},
      {{5, 4, 7, 7}, {3, 3, 3, 3}, 2, {1, 1}, 1, 4}, {{5, 4, 7, 7}, {0, 0, 0, 0}, 1, {1, 1}, 1, 3},
      {{5, 4, 3, 3}, {2, 2, 2, 2}, 1, {2, 2}, 1, 2}, {{5, 4, 3, 3}, {3, 3, 3, 3}, 1, {3, 3}, 1, 3},
      {{5, 4, 3, 3}, {0, 0, 1, 1}, 2, {1, 1}, 1, 3}, {{4, 1, 5, 5}, {2, 2, 2, 2}, 1, {1, 1}, 4, 2},
      {{4, 2, 5, 5}, {2, 2, 2, 2}, 1, {1, 1}, 2, 2}, {{5, 4, 5, 3}, {2, 1, 2, 1}, 1, {1, 1}, 1, 2},
      {{5, 4, 1, 7}, {0, 3, 0, 3}, 1, {1, 1}, 1, 3}, {{5, 4, 4, 4}, {1, 1, 2, 2}, 1, {1, 1}, 1, 2},
  };
  for (const Row& r : rows) {
    SCOPED_TRACE(std::to_string(r.filter[2]) + "x" + std::to_string(r.filter[3]) + " pad " +
                 std::to_string(r.pads[0]) + " stride " + std::to_string(r.stride) + " dilation " +
                 std::to_string(r.dilations[0]));
    Net net({1, 4, 12, 12});
    window(net, r.filter, r.pads, r.stride, r.dilations, r.group).output("y");
    EXPECT_EQ(expect_wide(net).layers.size(), r.layers);
  }
}

TEST(WideWindows, WhatFitsNoFrameIsRefused) {
  Net net({1, 4, 12, 12});
  window(net, {5, 4, 9, 9}, {4, 4, 4, 4}, 1, {1, 1}).output("y");
  const auto r = convert(net.graph(), net.samples(1), {});
  ASSERT_TRUE(r.ok());
  EXPECT_FALSE(r->misfits.empty());
}

TEST(FoldedInput, FiltersWithAStride) {
  struct Row {
    std::vector<int64_t> filter, pads;
    int64_t stride;
    int kernel;
  };
  const Row rows[] = {{{5, 3, 3, 3}, {1, 1, 1, 1}, 2, 3}, {{5, 3, 2, 2}, {0, 0, 0, 0}, 2, 1},
                      {{5, 3, 4, 4}, {0, 0, 0, 0}, 4, 1}, {{5, 3, 5, 5}, {2, 2, 2, 2}, 2, 3},
                      {{5, 3, 6, 6}, {2, 2, 2, 2}, 2, 3}, {{5, 3, 3, 3}, {0, 0, 1, 1}, 2, 3},
                      {{5, 3, 3, 3}, {0, 0, 0, 0}, 3, 1}};
  for (const Row& r : rows) {
    SCOPED_TRACE(std::to_string(r.filter[2]) + " taps, stride " + std::to_string(r.stride));
    Net net({1, 3, 12, 12});
    window(net, r.filter, r.pads, r.stride, {1, 1}).output("y");
    ConvertSettings s;
    s.fold = true;
    const Draft d = expect_wide(net, s);
    ASSERT_EQ(d.layers.size(), 1U);
    EXPECT_EQ(d.layers[0].kernel.h, r.kernel);
    EXPECT_EQ(d.tensors[0].fold, static_cast<int>(r.stride));
    EXPECT_EQ(d.tensors[0].channels, 3 * static_cast<int>(r.stride * r.stride));
  }
}

TEST(PoolBorders, OfSeveralZerosAndUneven) {
  Net net({1, 4, 12, 12});
  net.conv("x", "a", {8, 4, 3, 3}, 1, true);
  net.node("MaxPool", {"a"}, "p",
           {integers_attribute("kernel_shape", {5, 5}), integers_attribute("pads", {2, 2, 2, 2}),
            integers_attribute("strides", {1, 1})});
  net.conv("p", "b", {8, 8, 3, 3}, 1, true);
  net.node("MaxPool", {"b"}, "q",
           {integers_attribute("kernel_shape", {3, 3}), integers_attribute("pads", {0, 0, 1, 1}),
            integers_attribute("strides", {2, 2})});
  net.conv("q", "y", {6, 8, 1, 1}, 0, false).output("y");
  expect_wide(net);
}

}  // namespace
}  // namespace edgetwin::max78

// Networks that do not fit: each gives the finding that names what is wrong.
#include <gtest/gtest.h>

#include <algorithm>

#include "formats/ai8x/read_yaml.h"
#include "targets/max78/analysis/memory_map.h"
#include "targets/max78/generate/generate.h"
#include "targets/max78/network/resolve.h"
#include "targets/max78/plan/make_plan.h"
#include "targets/max78/simulate/simulate.h"

namespace edgetwin::max78 {
namespace {

using ai8x::Network;
using ai8x::Parameters;

struct RandomLayer {
  int out = 1, in = 1, h = 3, w = 3;
  bool bias = false;
};

Parameters parameters_of(const Network& network, const std::vector<RandomLayer>& shapes) {
  Parameters p;
  p.layers.resize(network.layers.size());
  size_t next = 0;
  for (size_t i = 0; i < network.layers.size(); ++i) {
    if (!network.layers[i].takes_weights() || next >= shapes.size()) continue;
    const RandomLayer& s = shapes[next++];
    ai8x::LayerParameters& l = p.layers[i];
    l.out = l.out_channels = s.out;
    l.in = s.in;
    l.in_channels = s.in * network.layers[i].groups;
    l.kernel = {s.h, s.w};
    l.weights.assign(static_cast<size_t>(s.out * s.in * s.h * s.w), 1);
    for (size_t k = 0; k < l.weights.size(); k += 7) l.weights[k] = static_cast<int8_t>(k % 100);
    l.weights[0] = static_cast<int8_t>(i + 1);
    if (s.bias) l.bias.assign(static_cast<size_t>(s.out), static_cast<int8_t>(i + 1));
    l.output_shift = 0;
  }
  return p;
}

// Ids of all errors, in order, without repetition.
std::vector<std::string> errors(const std::string& layers, const std::vector<RandomLayer>& shapes,
                                SampleShape sample, ai8x::Device device = ai8x::Device::max78000,
                                const std::vector<std::string>& words = {}) {
  const auto network =
      ai8x::read_network("arch: test\ndataset: x\nlayers:\n" + layers, "x.yaml", device);
  EXPECT_TRUE(network.ok()) << (network.ok() ? "" : to_text(network.error()));
  if (!network.ok()) return {};
  const Parameters parameters = parameters_of(*network, shapes);
  const auto options = options_from(words);
  EXPECT_TRUE(options.ok());
  const Planning plan = make_plan(*network, parameters, sample, *options);
  std::vector<std::string> ids;
  for (const Finding& f : plan.findings) {
    EXPECT_FALSE(f.message.empty());
    if (f.severity != Severity::error) continue;
    if (std::find(ids.begin(), ids.end(), f.id) == ids.end()) ids.push_back(f.id);
  }
  return ids;
}

using Ids = std::vector<std::string>;

const char* kConv = "  - op: conv2d\n    kernel_size: 3x3\n    pad: 1\n    activate: none\n";

std::string conv(const std::string& rest) { return kConv + rest; }

TEST(Max78Checks, AcceptAPlainLayer) {
  EXPECT_EQ(errors(conv("    processors: 0x7\n    out_offset: 0x2000\n"), {{4, 3}}, {3, 8, 8}),
            Ids{});
}

TEST(Max78Checks, CountProcessors) {
  EXPECT_EQ(errors(conv("    processors: 0x3\n    out_offset: 0x2000\n"), {{4, 3}}, {3, 8, 8}),
            Ids{"MAX78-PROC-01"});
  EXPECT_EQ(
      errors(conv("    processors: 0x7\n    output_processors: 0xff\n    out_offset: 0x2000\n"),
             {{4, 3}}, {3, 8, 8}),
      Ids{"MAX78-PROC-02"});
}

TEST(Max78Checks, FindDataThatDoesNotFit) {
  EXPECT_EQ(errors(conv("    processors: 0x7\n    out_offset: 0x2000\n"), {{4, 3}}, {3, 100, 100}),
            (Ids{"MAX78-MEM-01", "MAX78-MEM-02"}));
  EXPECT_EQ(errors(conv("    processors: 0x7\n    out_offset: 0x7f00\n"), {{4, 3}}, {3, 10, 10}),
            Ids{"MAX78-MEM-02"});
}

TEST(Max78Checks, FindOverwrittenData) {
  const std::string layer = conv("    processors: 0x7\n    out_offset: 0x80\n");
  EXPECT_EQ(errors(layer, {{4, 3}}, {3, 10, 10}), Ids{"MAX78-MEM-05"});
  EXPECT_EQ(errors(layer, {{4, 3}}, {3, 10, 10}, ai8x::Device::max78000, {"--overlap-data"}),
            Ids{});
}

TEST(Max78Checks, FindFullKernelMemory) {
  std::string layers;
  std::vector<RandomLayer> shapes;
  for (int i = 0; i < 20; ++i) {
    layers += conv("    processors: 0xffffffffffffffff\n    out_offset: " +
                   std::string(i % 2 == 0 ? "0x2000" : "0") + "\n");
    shapes.push_back({64, 64});
  }
  EXPECT_EQ(errors(layers, shapes, {64, 8, 8}), Ids{"MAX78-MEM-03"});
}

TEST(Max78Checks, FindFullBiasMemory) {
  std::string layers;
  std::vector<RandomLayer> shapes;
  for (int i = 0; i < 9; ++i) {
    layers += conv("    processors: 0xffffffffffffffff\n    bias_group: 0\n    out_offset: " +
                   std::string(i % 2 == 0 ? "0x2000" : "0") + "\n");
    shapes.push_back({64, 64, 3, 3, true});
  }
  EXPECT_EQ(errors(layers, shapes, {64, 8, 8}, ai8x::Device::max78002), Ids{});
  EXPECT_EQ(errors(layers, shapes, {64, 8, 8}), Ids{"MAX78-MEM-04"});
}

TEST(Max78Checks, FindStreamingWithoutFifo) {
  const std::string layer =
      conv("    processors: 0x7\n    streaming: true\n    out_offset: 0x2000\n");
  EXPECT_EQ(errors(layer, {{4, 3}}, {3, 8, 8}), Ids{"MAX78-STR-01"});
  EXPECT_EQ(errors(layer, {{4, 3}}, {3, 8, 8}, ai8x::Device::max78000, {"--fifo"}), Ids{});
  EXPECT_EQ(errors(conv("    processors: 0x70\n    out_offset: 0x2000\n"), {{4, 3}}, {3, 8, 8},
                   ai8x::Device::max78000, {"--fifo"})[0],
            "MAX78-FIFO-02");
}

TEST(Max78Checks, FindOptionsThatTheChipDoesNotHave) {
  const std::string layer = conv("    processors: 0x7\n    out_offset: 0x2000\n");
  EXPECT_EQ(errors(layer, {{4, 3}}, {3, 8, 8}, ai8x::Device::max78000, {"--pll"}),
            Ids{"MAX78-DEV-01"});
  EXPECT_EQ(errors(layer, {{4, 3}}, {3, 8, 8}, ai8x::Device::max78002, {"--no-pll", "--max-speed"}),
            Ids{"MAX78-OPT-01"});
}

TEST(Max78Checks, FindWeightsThatAreNotThere) {
  EXPECT_EQ(errors(conv("    processors: 0x7\n    in_channels: 3\n    out_offset: 0x2000\n"),
                   {{4, 2}}, {3, 8, 8}),
            Ids{"MAX78-OUT-05"});
}

TEST(Max78Checks, FindPicturesWithoutPixels) {
  EXPECT_EQ(
      errors(
          conv(
              "    processors: 0x7\n    max_pool: 9\n    pool_stride: 1\n    out_offset: 0x2000\n"),
          {{4, 3}}, {3, 8, 8}),
      Ids{"MAX78-DIM-01"});
}

TEST(Max78MemoryMap, ShowsRangesAndUse) {
  const auto network = ai8x::read_network(
      "arch: test\ndataset: x\nlayers:\n" + conv("    processors: 0x7\n    out_offset: 0x2000\n"),
      "x.yaml", ai8x::Device::max78000);
  ASSERT_TRUE(network.ok());
  const Parameters parameters = parameters_of(*network, {{4, 3, 3, 3, true}});
  const Planning plan = make_plan(*network, parameters, {3, 8, 8}, {});
  const auto places = layer_places(plan);
  ASSERT_EQ(places.size(), 1U);
  EXPECT_EQ(places[0].in_end, 256);
  EXPECT_EQ(places[0].out_begin, 0x2000);
  EXPECT_EQ(places[0].out_end, 0x2100);
  EXPECT_EQ(places[0].kernel_end - places[0].kernel_begin, 4);
  EXPECT_EQ(places[0].biases, (std::vector<std::pair<int, int>>{{0, 0}}));
  const std::string text = memory_map(plan);
  EXPECT_NE(text.find("00000-000ff"), std::string::npos) << text;
  EXPECT_NE(text.find("processors 0-2: 4 of 768"), std::string::npos) << text;
}

TEST(Max78Simulation, RefusesAnotherSample) {
  const auto network = ai8x::read_network(
      "arch: test\ndataset: x\nlayers:\n" + conv("    processors: 0x7\n    out_offset: 0x2000\n"),
      "x.yaml", ai8x::Device::max78000);
  ASSERT_TRUE(network.ok());
  const Parameters parameters = parameters_of(*network, {{4, 3}});
  Findings findings;
  const auto plan = resolve(*network, parameters, {3, 8, 8}, {}, findings);
  ASSERT_TRUE(plan);
  auto simulation = Simulation::make(*plan);
  ASSERT_TRUE(simulation.ok());
  const auto other = simulation->run(*Tensor::zeros(DType::int8, {3, 8, 7}));
  ASSERT_FALSE(other.ok());
  EXPECT_EQ(other.error().code, ErrorCode::max78_sample);
  EXPECT_FALSE(simulation->run(*Tensor::zeros(DType::int32, {3, 8, 8})).ok());
  const auto good = simulation->run(*Tensor::zeros(DType::int8, {3, 8, 8}));
  ASSERT_TRUE(good.ok());
  EXPECT_EQ(good->layers.back().out.shape, (Shape{4, 8, 8}));
}

}  // namespace
}  // namespace edgetwin::max78

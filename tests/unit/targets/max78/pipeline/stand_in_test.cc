// Networks without parameters: sizes from the description, numbers from a seed.
#include "targets/max78/pipeline/stand_in.h"

#include <gtest/gtest.h>

#include <set>

#include "formats/ai8x/read_yaml.h"
#include "targets/max78/pipeline/run.h"
#include "tensor/npy.h"

namespace edgetwin::max78 {
namespace {

constexpr const char* kArchitecture = R"(arch: net
dataset: x
layers:
  - name: first
    op: conv2d
    kernel_size: 3x3
    pad: 1
    processors: 0x7
    out_offset: 0x2000
    activate: ReLU
  - name: second
    op: conv2d
    max_pool: 2
    pool_stride: 2
    kernel_size: 3x3
    pad: 1
    processors: 0xffff
    out_offset: 0
    quantization: 4
  - name: fc
    op: linear
    flatten: true
    processors: 0xff
    out_channels: 5
    output_width: 32
    out_offset: 0x2000
)";

NetworkSources architecture(bool weightless) {
  NetworkSources s;
  const std::string_view text = kArchitecture;
  const auto bytes = std::as_bytes(std::span(text));
  s.description = Source::bytes("net.yaml", {bytes.begin(), bytes.end()});
  s.shape = SampleShape{3, 8, 8};
  s.weightless = weightless;
  return s;
}

TEST(Max78StandIn, ChannelsFollowFromTheDescription) {
  const Loading loading = load_network(architecture(true), SampleNeed::size_only);
  ASSERT_TRUE(loading.ok()) << (loading.failure ? to_text(*loading.failure) : "");
  EXPECT_TRUE(loading.stands_in);
  const Plan& plan = loading.network->plan();
  EXPECT_EQ(plan.layer(0).in_channels, 3);
  EXPECT_EQ(plan.layer(0).out_channels, 16);  // processors of the second layer
  EXPECT_EQ(plan.layer(1).out_channels, 8);
  EXPECT_EQ(plan.layer(1).bits(), 4);
  EXPECT_EQ(plan.layer(2).in_channels, 8);  // of 4x4 pixels each
  EXPECT_EQ(plan.layer(2).parameters->in, 8 * 16);
  EXPECT_EQ(plan.layer(2).out_channels, 5);
  // First and second layer's channels, and the bits of two layers.
  EXPECT_EQ(loading.assumed.size(), 3U);
}

TEST(Max78StandIn, NothingStandsInUnasked) {
  const Loading loading = load_network(architecture(false), SampleNeed::size_only);
  ASSERT_TRUE(loading.failure);
  EXPECT_EQ(loading.failure->code, ErrorCode::usage);
}

TEST(Max78StandIn, RandomWeightsComputeOnTwinAndMachine) {
  NetworkSources s = architecture(false);
  s.weights = Source::file("xs32:7");
  s.bias = Source::file("xs32:7");
  s.sample = Source::file("xs32:5");
  const Loading loading = load_network(s);
  ASSERT_TRUE(loading.ok());
  const LoadedNetwork& network = *loading.network;
  EXPECT_TRUE(network.plan().layer(0).has_bias());
  const auto twin = simulate(network, network.sample);
  const auto machine = run_machine(network, network.sample);
  ASSERT_TRUE(twin.ok() && machine.ok());
  EXPECT_EQ(twin->outputs[0].data, machine->outputs[0].data);
  // The shift keeps results in range: not all of them at its limits.
  std::set<int8_t> values;
  for (const LayerResult& l : twin->layers) {
    if (l.layer != 1) continue;
    for (const int8_t v : l.out.as<int8_t>()) values.insert(v);
  }
  EXPECT_GT(values.size(), 20U);
}

TEST(Max78StandIn, OtherSeedsAreOtherWeights) {
  NetworkSources s = architecture(false);
  s.weights = Source::file("xs32:7");
  const Loading a = load_network(s, SampleNeed::size_only);
  s.weights = Source::file("xs32:8");
  const Loading b = load_network(s, SampleNeed::size_only);
  ASSERT_TRUE(a.ok() && b.ok());
  EXPECT_NE(a.network->parameters.layers[0].weights, b.network->parameters.layers[0].weights);
  s.weights = Source::file("xs32:0");
  EXPECT_TRUE(load_network(s, SampleNeed::size_only).failure);
}

TEST(Max78StandIn, SurplusChannelsAreDropped) {
  NetworkSources s = architecture(false);
  s.weights = Source::file("xs32:7");
  s.options.reshape_inputs = true;
  Tensor sample = *Tensor::zeros(DType::int8, {4, 8, 8});
  for (size_t i = 0; i < sample.data.size(); ++i) sample.data[i] = static_cast<std::byte>(i / 64);
  s.sample = Source::bytes("sample.npy", *write_npy(sample));
  const Loading loading = load_network(s);
  ASSERT_TRUE(loading.ok());
  EXPECT_EQ(loading.network->sample.shape, (Shape{3, 8, 8}));
  EXPECT_EQ(loading.network->sample.as<int8_t>().back(), 2);
}

}  // namespace
}  // namespace edgetwin::max78

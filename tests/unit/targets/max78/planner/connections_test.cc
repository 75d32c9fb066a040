// Layers that do not say what they read.
#include "targets/max78/planner/connections.h"

#include "unit/targets/max78/planner/plan_check.h"

namespace edgetwin::max78 {
namespace {

constexpr const char* kResidual = R"(arch: test
dataset: x
layers:
  - op: conv2d
    activate: ReLU
  - op: passthrough
  - op: conv2d
    activate: ReLU
  - op: add
  - op: conv2d
    kernel_size: 1x1
    pad: 0
    activate: None
)";
const std::vector<Shape> kResidualWeights = {{8, 3, 3, 3}, {8, 8, 3, 3}, {4, 8, 1, 1}};

std::vector<int> reads_of(const Loading& loading, size_t layer) {
  const auto& from = loading.network->network.layers[layer].in_sequences;
  return from.value_or(std::vector<int>{static_cast<int>(layer) - 1});
}

size_t open_sources(const Loading& loading) {
  size_t n = 0;
  for (const Finding& f : loading.findings) {
    n += f.id == info(Rule::open_source).id && f.severity == Severity::warning ? 1 : 0;
  }
  return n;
}

// Operands lie between each other's words, so that nobody else can read the copy: one way is left.
TEST(MaxConnections, AResidualHasOneFormOnly) {
  const Loading loading = load_network(network_to_plan(kResidual, kResidualWeights, {3, 8, 8}));
  expect_plan_is_proven(loading);
  EXPECT_EQ(reads_of(loading, 1), (std::vector<int>{0}));
  EXPECT_EQ(reads_of(loading, 2), (std::vector<int>{0}));
  EXPECT_EQ(reads_of(loading, 3), (std::vector<int>{1, 2}));
  EXPECT_EQ(open_sources(loading), 0U);
  EXPECT_NE(loading.network->description.find("in_sequences: [1, 2]"), std::string::npos);
  ASSERT_EQ(loading.findings.size(), 1U);
  EXPECT_EQ(loading.findings[0].severity, Severity::note);
  EXPECT_EQ(loading.findings[0].message,
            "in_sequences follow from the rest: layer 2 reads [0]; layer 3 reads [1, 2]");
}

// Two results have the channels that the last layer takes: the nearest is read, and that is said.
TEST(MaxConnections, WhatIsOpenIsSaid) {
  constexpr const char* kHeads = R"(arch: test
dataset: x
layers:
  - op: conv2d
    activate: ReLU
  - op: conv2d
    activate: ReLU
  - op: conv2d
    activate: ReLU
    output: true
  - op: conv2d
    activate: None
    output: true
)";
  const Loading loading = load_network(
      network_to_plan(kHeads, {{8, 3, 3, 3}, {8, 8, 3, 3}, {4, 8, 3, 3}, {6, 8, 3, 3}}, {3, 8, 8}));
  expect_plan_is_proven(loading);
  EXPECT_EQ(reads_of(loading, 3), (std::vector<int>{1}));
  ASSERT_EQ(open_sources(loading), 1U);
  for (const Finding& f : loading.findings) {
    if (f.id != info(Rule::open_source).id || f.severity != Severity::warning) continue;
    EXPECT_NE(f.message.find("layer 3 reads [1] in this plan"), std::string::npos) << f.message;
    EXPECT_NE(f.message.find("allow [0] as well"), std::string::npos) << f.message;
  }
}

// What is written of data memory decides.
TEST(MaxConnections, PlacesDecide) {
  constexpr const char* kHeads = R"(arch: test
dataset: x
layers:
  - op: conv2d
    activate: ReLU
    processors: 0x7
    output_processors: 0xff0
    out_offset: 0x1000
  - op: conv2d
    activate: ReLU
    processors: 0xff0
    in_offset: 0x1000
    output_processors: 0xff0
    out_offset: 0x2000
  - op: conv2d
    activate: ReLU
    processors: 0xff0
    in_offset: 0x2000
    output_processors: 0xf
    out_offset: 0x4000
    output: true
  - op: conv2d
    activate: None
    processors: 0xff0
    in_offset: 0x1000
    output_processors: 0x3f
    out_offset: 0x6000
    output: true
)";
  const Loading loading = load_network(
      network_to_plan(kHeads, {{8, 3, 3, 3}, {8, 8, 3, 3}, {4, 8, 3, 3}, {6, 8, 3, 3}}, {3, 8, 8}));
  expect_plan_is_proven(loading);
  EXPECT_EQ(reads_of(loading, 3), (std::vector<int>{0}));
  EXPECT_EQ(open_sources(loading), 0U);
}

// Parts side by side: the channels of the weights ask for two.
TEST(MaxConnections, PartsSideBySide) {
  constexpr const char* kParts = R"(arch: test
dataset: x
layers:
  - op: conv2d
    activate: ReLU
  - op: conv2d
    activate: ReLU
  - op: conv2d
    activate: None
)";
  const Loading loading =
      load_network(network_to_plan(kParts, {{4, 3, 3, 3}, {4, 4, 3, 3}, {6, 8, 3, 3}}, {3, 8, 8}));
  expect_plan_is_proven(loading);
  EXPECT_EQ(reads_of(loading, 2), (std::vector<int>{1, 0}));
}

TEST(MaxConnections, ChainsStayAsTheyAre) {
  constexpr const char* kChain = R"(arch: test
dataset: x
layers:
  - op: conv2d
    activate: ReLU
  - op: conv2d
    activate: None
)";
  const Loading loading =
      load_network(network_to_plan(kChain, {{4, 3, 3, 3}, {4, 4, 3, 3}}, {3, 8, 8}));
  expect_plan_is_proven(loading);
  EXPECT_EQ(loading.network->description.find("in_sequences"), std::string::npos);
}

}  // namespace
}  // namespace edgetwin::max78

#include "targets/edgetpu/decompile/layers/checks.h"

#include <gtest/gtest.h>

#include <memory>

#include "unit/targets/edgetpu/decompile/programs.h"

namespace edgetwin::edgetpu {
namespace {

// A convolution of one by one over 16 pixels and an addition of it to the input.
struct Network {
  darwinn::Executable inference;
  Layers layers;
  Resident resident;

  Network() {
    Assembly conv = tensor(0x1, {2, 16}, {0, {{4, 2}, {8, 16}}}, {200, {{4, 1}, {4, 16}}});
    set_levels(conv, GeneratorFields("weight"), {{4, 2}, {0, 16}});
    set_levels(conv, GeneratorFields("acc"), {{0, 2}, {0, 16}});
    conv.set("multiplier", 0x3C000000).set("input_zero_point", 128).set("output_zero_point", 3);
    Assembly sum = tensor(0x1, {2, 2, 16}, {}, {}, 0xB0);
    sum.set("multiplier", 0x3C000000).set("constant", static_cast<uint64_t>(-(20 * 3 + 30 * 128)));
    inference = program({conv, sum});
    inference.inputs.resize(1);
    inference.inputs[0].numerics = darwinn::Numerics{128, 0.5F, {}, {}};
    inference.outputs.resize(1);
    inference.outputs[0].name = "sum";
    inference.outputs[0].y_dim = inference.outputs[0].x_dim = 4;
    inference.outputs[0].z_dim = 4;
    layers.replay.steps = decode_program(inference);
    layers.layers.resize(2);
    add(0, LayerType::conv, {{{input_producer(0)}}});
    add(1, LayerType::add, {{{0}}, {{input_producer(0)}}});
    layers.layers[1].add_weight[0] = 20;
    layers.layers[1].add_weight[1] = 30;
    layers.outputs = {{0, {{1}}}};
  }
  void add(size_t l, LayerType type, std::vector<Operand> inputs) {
    DecompiledLayer& layer = layers.layers[l];
    layer.type = type;
    layer.steps = {l};
    layer.numbers = layers.replay.steps.nest(l);
    layer.inputs = std::move(inputs);
    layer.in = layer.out = {4, 4, 4};
  }
  std::vector<Finding> findings() {
    check_layers(layers, inference, resident);
    return layers.findings;
  }
};

void expect_one(const std::vector<Finding>& findings, const std::string& place,
                const std::string& message) {
  ASSERT_EQ(findings.size(), 1U);
  EXPECT_NE(findings[0].place.layer.find(place), std::string::npos) << to_text(findings[0].place);
  EXPECT_NE(findings[0].message.find(message), std::string::npos) << findings[0].message;
}

// What the first instruction says, to be changed.
template <class Change>
void change_nest(Network& n, const Change& change) {
  EngineFields& fields = n.layers.replay.steps.engines[0];
  Nest nest = *fields.nest;
  change(nest);
  fields.nest = std::make_shared<const Nest>(nest);
}

TEST(Checks, NothingToSay) {
  Network n;
  EXPECT_TRUE(n.findings().empty());
}

TEST(Checks, CountsThatAreNotThoseOfTheLoops) {
  Network n;
  change_nest(n, [](Nest& nest) { nest.weight.level[0].count = 3; });
  expect_one(n.findings(), "layer 0 CONV_2D, chunk 0, word 0",
             "loops run 32 times, its weights have 48 places");
}

TEST(Checks, OutputsThatAreNoPartOfTheLoops) {
  Network n;
  change_nest(n, [](Nest& nest) { nest.out.level[1].count = 15; });
  expect_one(n.findings(), "layer 0", "no multiple of the 15 places");
}

// With the shorter last pass the product is not the number of loops.
TEST(Checks, AShorterLastPassIsNoMistake) {
  Network n;
  change_nest(n, [](Nest& nest) {
    nest.weight.level[0].count = 3;
    nest.last = 1;
  });
  EXPECT_TRUE(n.findings().empty());
}

TEST(Checks, ZeroPointsOfProducers) {
  Network n;
  n.inference.inputs[0].numerics->zero_point = 127;
  const auto found = n.findings();
  ASSERT_EQ(found.size(), 2U);
  EXPECT_EQ(found[0].message, "it subtracts 128, the zero point of input 0 is 127");
  EXPECT_EQ(found[1].message, "it adds -3900, not -(20 * 3 + 30 * 127) = -3870");
}

TEST(Checks, ScalesThatAreNotPositive) {
  Network n;
  n.layers.layers[0].content.scales = {0.5F, -0.5F};
  expect_one(n.findings(), "layer 0", "not all scales of its channels are positive");
  Network m;
  m.layers.layers[0].numbers.multiplier = 0.0F;
  expect_one(m.findings(), "layer 0", "its multiplier is not positive");
}

TEST(Checks, BlocksWithoutALayer) {
  Network n;
  n.resident.blocks = {{true, 0, 64, 1}, {true, 64, 128, 1}};
  n.layers.replay.unused_resident = {0, 1};
  n.layers.layers[0].blocks = {n.resident.blocks[0]};
  expect_one(n.findings(), "parameters from byte 64", "128 bytes belong to no layer");
}

TEST(Checks, OutputsOfAnotherSize) {
  Network n;
  n.inference.outputs[0].z_dim = 5;
  expect_one(n.findings(), "output 0 'sum'",
             "layers make 64 elements of it, the file announces 4 x 4 x 5");
}

// What was not recovered has its own report.
TEST(Checks, LayersWithAProblemAreLeftOut) {
  Network n;
  n.layers.layers[0].problem = "not understood";
  n.layers.layers[0].numbers.multiplier = 0.0F;
  EXPECT_TRUE(n.findings().empty());
}

TEST(Checks, PicturesOfOtherSizesAreAdded) {
  Network n;
  n.layers.layers[0].out = {2, 2, 4};
  n.inference.inputs[0].y_dim = n.inference.inputs[0].x_dim = 4;
  expect_one(n.findings(), "layer 1 ADD", "its operands are pictures of 2 x 2 and 4 x 4");
  n.layers.findings.clear();
  n.layers.layers[1].inputs[0].height = n.layers.layers[1].inputs[0].width = 4;
  EXPECT_TRUE(n.findings().empty());
}

}  // namespace
}  // namespace edgetwin::edgetpu

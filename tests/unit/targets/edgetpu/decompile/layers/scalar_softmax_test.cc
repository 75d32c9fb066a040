#include "targets/edgetpu/decompile/layers/scalar_softmax.h"

#include <gtest/gtest.h>

#include <bit>

#include "targets/edgetpu/isa/scalar.h"
#include "unit/targets/edgetpu/decompile/programs.h"

namespace edgetwin::edgetpu {
namespace {

constexpr uint32_t kLog2E = 0x3FB8AA3B;

Assembly word(ScalarOp op, uint32_t imm) {
  Assembly a(Opcode::scalar);
  return a.set("op", static_cast<uint64_t>(op)).set("immediate", 1).set("imm", imm);
}

// A layer of 1001 results, and a program that raises them to powers.
struct Classifier {
  darwinn::Executable inference;
  Layers layers;
  explicit Classifier(float scale, uint32_t zero = 82, int passes = 2) {
    std::vector<Assembly> code;
    for (int pass = 0; pass < passes; ++pass) {
      code.push_back(word(ScalarOp::sub, zero));
      code.push_back(Assembly(Opcode::scalar).set("op", static_cast<uint64_t>(ScalarOp::i2f)));
      code.push_back(word(ScalarOp::fmul, std::bit_cast<uint32_t>(scale)));
      code.push_back(word(ScalarOp::fmul, kLog2E));
      code.push_back(Assembly(Opcode::scalar).set("fn", kFnExp2));
      code.push_back(word(ScalarOp::fmul, std::bit_cast<uint32_t>(256.0F)));
    }
    inference = program(code);
    darwinn::Layer out;
    out.y_dim = out.x_dim = 1;
    out.z_dim = 1001;
    out.numerics = darwinn::Numerics{0, 1.0F / 256, {}, {}};
    inference.outputs = {out};
    layers.replay.steps = decode_program(inference);
    DecompiledLayer dense;
    dense.type = LayerType::dense;
    dense.out = {1, 1, 1001};
    dense.numbers.output_zero_point = 82;
    dense.inputs = {{{input_producer(0)}}};
    layers.layers = {dense};
    layers.outputs = {{0, {{0}}}};
  }
};

TEST(ScalarSoftmax, StandsBehindTheLayerThatLeaves) {
  Classifier c(0.125F);
  add_scalar_softmax(c.layers, c.inference);
  ASSERT_EQ(c.layers.layers.size(), 2U);
  const DecompiledLayer& l = c.layers.layers[1];
  EXPECT_EQ(l.type, LayerType::softmax);
  EXPECT_EQ(l.softmax_scale, 0.125F);
  EXPECT_EQ(l.inputs, (std::vector<Operand>{{{0}}}));
  EXPECT_EQ(l.out, (Extent2D{1, 1, 1001}));
  EXPECT_EQ(l.steps.size(), 2U);
  EXPECT_EQ(c.layers.outputs[0].from.from, std::vector<Producer>{1});
  EXPECT_TRUE(c.layers.findings.empty());
}

TEST(ScalarSoftmax, OfTheLastLayerWhereNothingIsSeenToLeave) {
  Classifier c(0.125F);
  c.layers.outputs.clear();
  add_scalar_softmax(c.layers, c.inference);
  ASSERT_EQ(c.layers.outputs.size(), 1U);
  EXPECT_EQ(c.layers.outputs[0].from.from, std::vector<Producer>{1});
}

TEST(ScalarSoftmax, NoneWithoutPowersOfTwo) {
  Classifier c(0.125F, 82, 0);
  add_scalar_softmax(c.layers, c.inference);
  EXPECT_EQ(c.layers.layers.size(), 1U);
  EXPECT_TRUE(c.layers.findings.empty());
}

TEST(ScalarSoftmax, WhatDoesNotFitIsSaid) {
  Classifier other_zero(0.125F, 83);
  add_scalar_softmax(other_zero.layers, other_zero.inference);
  EXPECT_EQ(other_zero.layers.layers.size(), 1U);
  ASSERT_EQ(other_zero.layers.findings.size(), 1U);
  EXPECT_NE(other_zero.layers.findings[0].message.find("zero point of layer 0 is 82"),
            std::string::npos);
  Classifier no_probabilities(0.125F);
  no_probabilities.inference.outputs[0].numerics->factor = 0.5F;
  add_scalar_softmax(no_probabilities.layers, no_probabilities.inference);
  EXPECT_EQ(no_probabilities.layers.findings.size(), 1U);
}

}  // namespace
}  // namespace edgetwin::edgetpu

#include "targets/edgetpu/decompile/compare/gates.h"

#include <gtest/gtest.h>

#include <cmath>
#include <memory>

#include "formats/tflite/tflite.h"
#include "targets/edgetpu/compile/compile.h"
#include "targets/edgetpu/compile/proof/read_again.h"
#include "targets/edgetpu/decompile/compare/compare.h"
#include "targets/edgetpu/decompile/decompile.h"
#include "targets/edgetpu/decompile/operands/lstm_stages.h"
#include "unit/targets/edgetpu/compile/random_networks.h"

namespace edgetwin::edgetpu {
namespace {

constexpr int kSteps = 4, kDepth = 8, kUnits = 12;

Model recurrent_model() {
  RandomNetwork net(5);
  Model model;
  model.format = "tflite";
  const ValueId all = net.recurrent(net.input_of({1, kSteps, kDepth}), kUnits);
  model.graphs.push_back(net.finish(net.dense(net.reshape(all, {1, kSteps * kUnits}), 10)));
  return model;
}

// A recurrent layer, and what comes back from its program.
class Gates : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    const Model model = recurrent_model();
    const auto made = compiler::compile_model(model);
    ASSERT_TRUE(made.ok()) << to_text(made.error());
    auto bytes = tflite::write(made->model);
    ASSERT_TRUE(bytes.ok()) << to_text(bytes.error());
    bytes_ = std::move(*bytes);
    const auto file = darwinn::read(bytes_, "compiled");
    const auto compiled = tflite::read(bytes_, "compiled");
    ASSERT_TRUE(file.ok() && compiled.ok());
    auto back = decompile(*compiled, *file);
    ASSERT_TRUE(back.ok()) << to_text(back.error());
    for (const Finding& f : back->findings) ADD_FAILURE() << to_text(f);
    ASSERT_TRUE(back->complete());
    back_ = std::make_unique<Decompiled>(std::move(*back));
  }
  static void TearDownTestSuite() { back_.reset(); }

  static LayerMatch match(const Graph& source) {
    const NetworkComparison c =
        compare_networks(back_->model.main(), source, program_numbers(back_->ops));
    EXPECT_EQ(c.layers.size(), 2U);
    return c.layers.empty() ? LayerMatch{} : c.layers[0];
  }

  // The source, of which the lowest byte of number `at` of a constant is another one.
  static Graph changed(size_t operand, size_t at) {
    Graph source = recurrent_model().main();
    Value& v = source.value(source.ops[0].inputs[operand]);
    Bytes bytes = *v.constant;
    bytes.at(at * (v.dtype == DType::int32 ? 4 : 1)) ^= std::byte{1};
    v.constant = std::make_shared<const Bytes>(std::move(bytes));
    return source;
  }

  static std::vector<std::string> after_changing(size_t operand, size_t at) {
    const LayerMatch m = match(changed(operand, at));
    EXPECT_TRUE(m.only_numbers);
    return m.differences;
  }

  static Bytes bytes_;
  static std::unique_ptr<Decompiled> back_;
};
Bytes Gates::bytes_;
std::unique_ptr<Decompiled> Gates::back_;

using Texts = std::vector<std::string>;

TEST_F(Gates, ComeBackAsTheyWere) {
  const LayerMatch m = match(recurrent_model().main());
  EXPECT_EQ(m.differences, Texts{});
  EXPECT_TRUE(m.exact());
}

TEST_F(Gates, EveryConstantCounts) {
  for (size_t gate = 0; gate < kGates; ++gate) {
    SCOPED_TRACE(gate);
    for (const size_t at : {0, kDepth * kUnits - 1}) {
      EXPECT_EQ(after_changing(LstmOperand::kInputWeights + gate, at), Texts{"other weights"});
    }
    for (const size_t at : {0, kUnits * kUnits - 1}) {
      EXPECT_EQ(after_changing(LstmOperand::kHiddenWeights + gate, at), Texts{"other weights"});
    }
    EXPECT_EQ(after_changing(LstmOperand::kBiases + gate, kUnits - 1), Texts{"other biases"});
  }
}

TEST_F(Gates, EveryScaleAndZeroPointCounts) {
  const auto after = [](size_t operand, auto&& change) {
    Graph source = recurrent_model().main();
    change(source.value(source.ops[0].inputs[operand]).quant);
    return match(source).differences;
  };
  const auto next = [](Quant& q) { q.scale[0] = std::nextafter(q.scale[0] * 1.5F, 2.0F); };
  for (size_t gate = 0; gate < kGates; ++gate) {
    EXPECT_EQ(after(LstmOperand::kInputWeights + gate, next), Texts{"another multiplier"});
    EXPECT_EQ(after(LstmOperand::kHiddenWeights + gate, next), Texts{"another multiplier"});
  }
  EXPECT_EQ(after(0, next), Texts{"another multiplier"});
  EXPECT_EQ(after(LstmOperand::kStates, next), Texts{"another multiplier"});
  const auto above = [](Quant& q) { q.zero_point[0] += 1; };
  EXPECT_EQ(after(0, above), Texts{"other zero points"});
  EXPECT_EQ(after(LstmOperand::kStates, above), Texts{"other zero points"});
}

// Numbers are those of the instructions, not of scales that were chosen for them.
TEST_F(Gates, NumbersAreThoseOfTheProgram) {
  Graph written = back_->model.main();
  for (Op& op : written.ops) {
    if (op.kind != OpKind::unidirectional_sequence_lstm) continue;
    for (size_t k = 0; k < 2 * kGates; ++k) {
      written.value(op.inputs[LstmOperand::kInputWeights + k]).quant.scale[0] *= 3;
    }
  }
  const Graph source = recurrent_model().main();
  EXPECT_EQ(compare_networks(written, source).layers.at(0).differences,
            Texts{"another multiplier"});
  EXPECT_TRUE(compare_networks(written, source, program_numbers(back_->ops)).layers.at(0).exact());
}

TEST_F(Gates, AnotherWeightIsAViolationInTheProof) {
  const auto violations = [](const Graph& source) {
    compiler::Proof proof;
    compiler::read_again(source, bytes_, proof);
    EXPECT_EQ(proof.open, Texts{});
    std::vector<std::string> texts;
    for (const Finding& f : proof.findings) {
      if (f.id == "TPU-DEC-03") texts.push_back(f.message);
    }
    return texts;
  };
  EXPECT_EQ(violations(recurrent_model().main()), Texts{});
  EXPECT_EQ(violations(changed(LstmOperand::kHiddenWeights, 1)), Texts{"other weights"});
}

// What is no form of the chip's has nothing to compare.
TEST(GatesOfOtherForms, HaveNoWeightsToCompare) {
  Graph g = recurrent_model().main();
  g.value(g.ops[0].inputs[LstmOperand::kHiddenWeights]).constant.reset();
  EXPECT_TRUE(network_layers(g).at(0).weights.empty());
  Graph coupled = recurrent_model().main();
  coupled.ops[0].inputs[LstmOperand::kInputWeights] = kAbsent;
  EXPECT_TRUE(network_layers(coupled).at(0).weights.empty());
}

}  // namespace
}  // namespace edgetwin::edgetpu

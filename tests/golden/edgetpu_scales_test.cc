// Networks that are in the data without their compiled files: what a program of them would tell
// about scales is computed from the source, and the solver has to find scales that fulfil it.
#include <gtest/gtest.h>

#include "golden/golden.h"
#include "targets/edgetpu/decompile/compare/network.h"
#include "targets/edgetpu/decompile/scales/scale_solver.h"

namespace edgetwin::golden {
namespace {

using edgetpu::kNoTensor;
using edgetpu::NetworkLayer;
using edgetpu::ScaleLaw;
using edgetpu::ScaleLawKind;
using edgetpu::ScaleLimits;
using edgetpu::ScaleProblem;

class Problem {
 public:
  explicit Problem(const Graph& graph)
      : graph_(graph), layers_(edgetpu::network_layers(graph)), inputs_(graph.inputs.size()) {
    made.anchors.assign(inputs_ + layers_.size(), 0.0F);
    for (size_t i = 0; i < inputs_; ++i) made.anchors[i] = scale(behind(graph.inputs[i]));
    for (size_t l = 0; l < layers_.size(); ++l) add(l);
  }
  ScaleProblem made;

 private:
  float scale(ValueId v) const { return graph_.value(v).quant.scale_of(0); }
  // The chip makes the rescaled result at once.
  ValueId behind(ValueId v) const {
    for (const Op& op : graph_.ops) {
      if (op.kind == OpKind::quantize && op.inputs[0] == v) return op.outputs[0];
    }
    return v;
  }
  size_t tensor(const NetworkLayer& l, size_t operand) const {
    if (operand >= l.producers.size() || l.producers[operand].empty()) return kNoTensor;
    const int p = l.producers[operand].front();
    return p < 0 ? static_cast<size_t>(-1 - p) : inputs_ + static_cast<size_t>(p);
  }

  void add(size_t index) {
    const NetworkLayer& l = layers_[index];
    const Op& op = graph_.ops[l.op];
    const size_t out = inputs_ + index;
    const size_t in = tensor(l, 0);
    if (l.kind == "SOFTMAX") {
      made.anchors[in] = scale(op.inputs[0]);
      made.anchors[out] = scale(op.outputs[0]);
      return;
    }
    ScaleLaw law;
    if (l.kind == "ADD") {
      law =
          edgetpu::sum_law(in, tensor(l, 1), out, l.multipliers[0],
                           static_cast<int>(l.multipliers[1]), static_cast<int>(l.multipliers[2]));
    } else {
      law.in = in;
      law.out = out;
      law.wanted = l.multipliers;
      if (l.kind == "AVERAGE_POOL_2D") {
        law.kind = ScaleLawKind::pool;
        law.count = l.kernel_h * l.kernel_w;
      }
    }
    if (l.kind != "AVERAGE_POOL_2D") {
      // Where the byte ends before the activation does, a program shows the limits of RELU.
      const bool cut = l.upper < static_cast<float>(255 - l.zero_points.back()) - 1e-4F;
      Activation activation = l.activation;
      if (activation == Activation::relu6 && !cut) activation = Activation::relu;
      made.limits.push_back({out, l.zero_points.back(), activation, l.lower, l.upper});
    }
    made.laws.push_back(law);
  }

  const Graph& graph_;
  std::vector<NetworkLayer> layers_;
  size_t inputs_;
};

void expect_solved(const fs::path& path) {
  const auto source = load_graph(path);
  ASSERT_TRUE(source.ok()) << path;
  const Problem problem(**source);
  ASSERT_GT(problem.made.laws.size(), 20U);
  const auto s = edgetpu::solve_scales(problem.made);
  const auto of = [&](size_t t) { return t == kNoTensor ? 0.0F : s[t]; };
  size_t missed = 0;
  for (const ScaleLaw& l : problem.made.laws) {
    missed += holds(l, of(l.in), of(l.second), of(l.out)) ? 0 : 1;
  }
  for (const ScaleLimits& l : problem.made.limits) missed += holds(l, s[l.tensor]) ? 0 : 1;
  EXPECT_EQ(missed, 0U) << path;
}

TEST(EdgeTpuScales, NetworksWithoutCompiledFilesAreSolved) {
  const fs::path folder = shared_data() / "edgetpu" / "models" / "coral_test_data";
  if (shared_data().empty() || !fs::exists(folder)) {
    GTEST_SKIP() << "no models in EDGETWIN_SHARED_DATA";
  }
  if (kInstrumented) GTEST_SKIP() << "minutes under sanitizers; the unit tests take the same ways";
  for (const char* name :
       {"mobilenet_v1_0.75_192_quant", "mobilenet_v1_1.0_224_quant_embedding_extractor",
        "mobilenet_v2_1.0_224_quant", "tf2_mobilenet_v2_1.0_224_ptq"}) {
    expect_solved(folder / (std::string(name) + ".tflite"));
  }
}

}  // namespace
}  // namespace edgetwin::golden

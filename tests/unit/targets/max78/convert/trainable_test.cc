// What training begins with is the float network in other units.
#include "targets/max78/convert/trainable.h"

#include <gtest/gtest.h>

#include <map>

#include "formats/torch/checkpoint.h"
#include "unit/targets/max78/convert/net_builder.h"

namespace edgetwin::max78 {
namespace {

using StoredValues = std::map<std::string, std::vector<float>>;

StoredValues stored(const Bytes& bytes) {
  const auto checkpoint = torch::Checkpoint::read(bytes, "c");
  StoredValues all;
  if (!checkpoint.ok()) return all;
  const auto entries = checkpoint->state_dict();
  for (size_t i = 0; entries.ok() && i < entries->size(); ++i) {
    const Tensor t = checkpoint->tensor((*entries)[i].tensor);
    all[(*entries)[i].name] = {t.as<float>().begin(), t.as<float>().end()};
  }
  return all;
}

std::vector<float> constant_of(const Graph& graph, const std::string& name) {
  for (const Value& v : graph.values) {
    if (v.name != name || !v.is_constant()) continue;
    const auto* first = reinterpret_cast<const float*>(v.constant->data());
    return {first, first + v.shape.elements()};
  }
  return {};
}

// A 1x1 convolution with Relu of 3 channels of 2x2, then all to 3 results.
std::vector<double> computed(const std::vector<float>& w1, const std::vector<float>& b1,
                             const std::vector<float>& w2, const std::vector<float>& b2,
                             const std::vector<double>& x) {
  std::vector<double> middle, result;
  for (size_t o = 0; o < 4; ++o) {
    for (size_t p = 0; p < 4; ++p) {
      double sum = static_cast<double>(b1[o]);
      for (size_t c = 0; c < 3; ++c) sum += static_cast<double>(w1[o * 3 + c]) * x[c * 4 + p];
      middle.push_back(std::max(sum, 0.0));
    }
  }
  for (size_t o = 0; o < 3; ++o) {
    double sum = static_cast<double>(b2[o]);
    for (size_t i = 0; i < 16; ++i) sum += static_cast<double>(w2[o * 16 + i]) * middle[i];
    result.push_back(sum);
  }
  return result;
}

TEST(Trainable, ComputesTheFloatNetworkFromBytes) {
  Net net({1, 3, 2, 2});
  net.conv("x", "a", {4, 3, 1, 1}, 0, true);
  net.node("Flatten", {"a"}, "f").gemm("f", "y", 3, 16).output("y");
  const Graph graph = net.graph();
  const auto converted = convert(graph, net.samples(3), {});
  ASSERT_TRUE(converted.ok());
  ASSERT_TRUE(converted->conversion) << converted->misfits.size();
  const ByteScale bytes{{10, 128, 200}, {60, 128, 30}};
  const auto made = trainable(converted->conversion->draft, bytes);
  ASSERT_TRUE(made.ok()) << to_text(made.error());
  const StoredValues p = stored(made->checkpoint);
  ASSERT_EQ(p.size(), 4U);
  std::vector<double> x, v;
  for (size_t i = 0; i < 12; ++i) {
    const double byte = static_cast<double>(i * 23 % 256);
    const size_t c = i / 4;
    x.push_back((byte - static_cast<double>(bytes.mean[c])) /
                static_cast<double>(bytes.deviation[c]));
    v.push_back((byte - 128) / 128);
  }
  const auto wanted = computed(constant_of(graph, "a_w"), constant_of(graph, "a_b"),
                               constant_of(graph, "y_w"), constant_of(graph, "y_b"), x);
  const auto got =
      computed(p.at("a.op.weight"), p.at("a.op.bias"), p.at("y.op.weight"), p.at("y.op.bias"), v);
  // Weights and biases are rounded to binary32 once more.
  for (size_t i = 0; i < 3; ++i) EXPECT_NEAR(got[i], wanted[i], 1e-5);
  EXPECT_NE(made->yaml.find("out_channels: 4"), std::string::npos);
  EXPECT_NE(made->yaml.find("output_width: 32"), std::string::npos);
  EXPECT_EQ(made->yaml.find("quantization"), std::string::npos);
}

TEST(Trainable, RefusesAnotherMeanWhereTheInputIsAlsoAdded) {
  Net net({1, 4, 4, 4});
  net.conv("x", "a", {4, 4, 3, 3}, 1, false).node("Add", {"a", "x"}, "s");
  net.conv("s", "y", {2, 4, 3, 3}, 1, false).output("y");
  const auto converted = convert(net.graph(), net.samples(2), {});
  ASSERT_TRUE(converted.ok());
  ASSERT_TRUE(converted->conversion);
  EXPECT_TRUE(trainable(converted->conversion->draft, {}).ok());
  const auto refused = trainable(converted->conversion->draft, {{0}, {255}});
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.error().code, ErrorCode::quant_setting);
  EXPECT_FALSE(trainable(converted->conversion->draft, {{128, 128}, {128}}).ok());
}

}  // namespace
}  // namespace edgetwin::max78

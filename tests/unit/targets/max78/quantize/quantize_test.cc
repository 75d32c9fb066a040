#include "targets/max78/quantize/quantize.h"

#include <gtest/gtest.h>

#include <cmath>

#include "formats/ai8x/read_yaml.h"
#include "formats/torch/torch_files.h"
#include "targets/max78/quantize/scale.h"

namespace edgetwin::max78 {
namespace {

using torch::checkpoint_of;
using torch::floats;

std::vector<float> entry(const torch::Checkpoint& checkpoint, const std::string& name) {
  const auto state = checkpoint.state_dict();
  for (const auto& each : *state) {
    if (each.name != name) continue;
    const Tensor tensor = checkpoint.tensor(each.tensor);
    const auto values = tensor.as<float>();
    return {values.begin(), values.end()};
  }
  return {};
}
using Floats = std::vector<float>;

TEST(Quantize, PowerOfTwoFromTheLargestValue) {
  // The largest magnitude is the bias's 0.3: 1/0.3 lies between 2 and 4, so the factor is 2.
  const auto result =
      quantize(checkpoint_of({{"c.op.weight", floats({1, 3, 1, 1}, {0.25F, -0.1F, 0})},
                              {"c.op.bias", floats({1}, {-0.3F})}}));
  ASSERT_TRUE(result.checkpoint);
  EXPECT_EQ(entry(*result.checkpoint, "c.op.weight"), (Floats{64, -26, 0}));
  EXPECT_EQ(entry(*result.checkpoint, "c.op.bias"), (Floats{-77 * 128}));
  EXPECT_EQ(entry(*result.checkpoint, "c.output_shift"), Floats{-1});
  EXPECT_EQ(entry(*result.checkpoint, "c.weight_bits"), Floats{8});
  EXPECT_EQ(entry(*result.checkpoint, "c.bias_bits"), Floats{8});
  ASSERT_EQ(result.layers.size(), 1U);
  EXPECT_EQ(result.layers[0].shift, -1);
}

// The vendor's quantizer stops here. Weights and bias get the same factor, so that the sum of
// products and bias keeps its proportions.
TEST(Quantize, MethodWithBias) {
  QuantizeOptions options;
  options.method = ClipMethod::scale;
  options.scale = 0.5;
  const auto result = quantize(checkpoint_of({{"c.op.weight", floats({1, 1, 1, 1}, {0.5F})},
                                              {"c.op.bias", floats({1}, {0.25F})},
                                              {"c.output_shift", floats({1}, {3})}}),
                               options);
  ASSERT_TRUE(result.checkpoint);
  EXPECT_EQ(entry(*result.checkpoint, "c.op.weight"), Floats{32});
  EXPECT_EQ(entry(*result.checkpoint, "c.op.bias"), Floats{16 * 128});
  EXPECT_EQ(entry(*result.checkpoint, "c.output_shift"), Floats{3});
  const auto& out = *result.checkpoint;
  const auto extras = out.find(out.root(), "extras");
  EXPECT_EQ(out.text(*extras, "clipping_method"), "SCALE");
  EXPECT_EQ(out.node(*out.find(*extras, "clipping_scale")).real, 0.5);
}

TEST(Quantize, BitsFromTheDescription) {
  const auto network = ai8x::read_network(
      "arch: net\ndataset: d\nlayers:\n"
      "  - {processors: 1, out_offset: 0, op: passthrough, quantization: 2}\n"
      "  - {processors: 1, out_offset: 0, op: conv2d, kernel_size: 1x1, "
      "quantization: 4}\n",
      "net.yaml", ai8x::Device::max78000);
  ASSERT_TRUE(network.ok());
  QuantizeOptions options;
  options.network = &*network;
  const auto result = quantize(checkpoint_of({{"c.op.weight", floats({1, 2, 1, 1}, {1, -1})},
                                              {"unused.op.weight", floats({1, 1, 1, 1}, {0.5F})}}),
                               options);
  ASSERT_TRUE(result.checkpoint);
  EXPECT_EQ(entry(*result.checkpoint, "c.op.weight"), (Floats{7, -8}));
  EXPECT_EQ(entry(*result.checkpoint, "unused.op.weight"), Floats{0.5F});
  EXPECT_EQ(result.layers[0].clipped, 2);
  // The entry says 8 bits, and the checkpoint has one layer more.
  ASSERT_EQ(result.report.warnings().size(), 2U);
  EXPECT_NE(result.report.warnings()[1].message.find("has 1 layers with weights, the checkpoint 2"),
            std::string::npos);
}

// B16: the description of another network.
TEST(Quantize, ADescriptionOfAnotherNetworkIsRefused) {
  const auto network = ai8x::read_network(
      "arch: other\ndataset: d\nlayers:\n"
      "  - {processors: 1, out_offset: 0, op: conv2d, quantization: 4}\n",
      "other.yaml", ai8x::Device::max78000);
  ASSERT_TRUE(network.ok());
  QuantizeOptions options;
  options.network = &*network;
  const auto result =
      quantize(checkpoint_of({{"c.op.weight", floats({1, 2, 1, 1}, {1, -1})}}), options);
  EXPECT_FALSE(result.checkpoint);
  ASSERT_FALSE(result.report.ok());
  EXPECT_NE(result.report.errors()[0].message.find("a kernel of 3x3, the entry is 1x2x1x1"),
            std::string::npos)
      << result.report.errors()[0].message;
}

TEST(Quantize, FoldsBatchNormalization) {
  const auto result = quantize(checkpoint_of({{"c.op.weight", floats({2, 1, 1, 1}, {1, 2})},
                                              {"c.bn.weight", floats({2}, {4, 2})},
                                              {"c.bn.bias", floats({2}, {0, 1})},
                                              {"c.bn.running_mean", floats({2}, {0.5F, 0})},
                                              {"c.bn.running_var", floats({2}, {4, 1})},
                                              {"c.bn.num_batches_tracked", floats({}, {3})}}));
  ASSERT_TRUE(result.checkpoint) << to_text(result.report.errors().front());
  // Folded: weights 0.5 and 1, biases -0.25 and 0.25; the largest value is 1, the factor 1.
  EXPECT_EQ(entry(*result.checkpoint, "c.op.weight"), (Floats{64, 127}));
  EXPECT_EQ(entry(*result.checkpoint, "c.op.bias"), (Floats{-32 * 128, 32 * 128}));
  EXPECT_EQ(entry(*result.checkpoint, "c.bn.weight"), Floats{});
}

TEST(Quantize, KeepsWhatElseIsThere) {
  torch::Checkpoint made = checkpoint_of({{"c.op.weight", floats({1, 1, 1, 1}, {0.5F})},
                                          {"c.quantize_activation", floats({1}, {0})},
                                          {"c.adjust_output_shift", floats({1}, {1})},
                                          {"c.base_b_q", floats({1}, {1})}});
  const torch::NodeId schedule = made.add_dict(false);
  made.set(schedule, "masks_dict", made.add_dict(true));
  made.set(made.root(), "compression_sched", schedule);
  const torch::NodeId extras = made.add_dict(false);
  made.set(extras, "best_top1", made.add_real(99.5));
  made.set(made.root(), "extras", extras);
  const auto result = quantize(std::move(made));
  ASSERT_TRUE(result.checkpoint);
  const torch::Checkpoint& out = *result.checkpoint;
  EXPECT_EQ(out.text(out.root(), "arch"), "net");
  EXPECT_EQ(out.node(*out.find(*out.find(out.root(), "extras"), "best_top1")).real, 99.5);
  EXPECT_EQ(entry(out, "c.quantize_activation"), Floats{1});
  EXPECT_EQ(entry(out, "c.adjust_output_shift"), Floats{0});
  EXPECT_EQ(entry(out, "c.base_b_q"), Floats{});
  const auto masks = out.find(*out.find(out.root(), "compression_sched"), "masks_dict");
  ASSERT_TRUE(masks);
  EXPECT_TRUE(out.find(*masks, "c.output_shift"));
  EXPECT_TRUE(out.find(*masks, "c.weight_bits"));
}

TEST(Quantize, Refusals) {
  const auto code = [](const std::vector<std::pair<std::string, Tensor>>& entries,
                       const QuantizeOptions& options = {}) {
    const auto result = quantize(checkpoint_of(entries), options);
    return result.report.ok() ? std::string() : result.report.errors()[0].id;
  };
  EXPECT_EQ(code({{"c.op.weight", floats({1}, {std::nanf("")})}}), "MAX78-QNT-01");
  EXPECT_EQ(code({{"c.op.weight", floats({0}, {})}}), "MAX78-QNT-01");
  EXPECT_EQ(code({{"c.op.weight", floats({1}, {1})}, {"c.weight_bits", floats({1}, {3})}}),
            "MAX78-QNT-01");
  EXPECT_EQ(code({{"c.op.weight", floats({1}, {1})}, {"c.shift_quantile", floats({1}, {2})}}),
            "MAX78-QNT-01");
  EXPECT_EQ(code({{"c.w_zero_point", floats({2}, {0, 1})}}), "MAX78-QNT-02");
  EXPECT_EQ(code({{"c.op.weight", floats({1}, {1})}, {"c.w_zero_point", floats({2}, {0, 0})}}), "");
  EXPECT_EQ(code({{"c.w_zero_point", floats({2}, {0, 0})}}), "MAX78-QNT-01");  // nothing else
  EXPECT_EQ(code({{"c.bn.running_mean", floats({1}, {0})}}), "MAX78-QNT-03");
  EXPECT_EQ(
      code({{"c.bn.running_mean", floats({1}, {0})}, {"c.op.weight", floats({2, 1}, {1, 2})}}),
      "MAX78-QNT-03");
  QuantizeOptions deviation;
  deviation.method = ClipMethod::stddev;
  EXPECT_EQ(code({{"c.op.weight", floats({1}, {1})}}, deviation), "MAX78-QNT-01");
  EXPECT_FALSE(quantize(torch::Checkpoint::make("none")).report.ok());
}

TEST(Quantize, MethodNames) {
  EXPECT_EQ(clip_method("avgmax"), ClipMethod::avgmax);
  EXPECT_EQ(clip_method("STDDEV"), ClipMethod::stddev);
  EXPECT_EQ(clip_method("avg"), ClipMethod::avgmax);  // the vendor's older word
  EXPECT_EQ(clip_method("average"), std::nullopt);
  EXPECT_EQ(name(ClipMethod::max_bit_shift), "MAX_BIT_SHIFT");
}

TEST(QuantizeScale, Statistics) {
  const std::vector<float> w = {1, -3, 2, -4};
  const std::vector<float> b = {-5};
  EXPECT_EQ(magnitude_quantile(w, b, 1.0F), 5.0F);
  EXPECT_EQ(magnitude_quantile(w, b, 0.5F), 3.0F);
  EXPECT_EQ(magnitude_quantile(w, {}, 0.5F), 2.5F);
  EXPECT_EQ(largest_magnitude(w), 4.0F);
  EXPECT_EQ(mean_magnitude(w, {2, 2}), 3.5F);  // means of (-3, -4) and of (1, 2)
  EXPECT_EQ(deviation_magnitude(w, 100.0F), 4.0F);
}

}  // namespace
}  // namespace edgetwin::max78

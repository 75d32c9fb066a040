// The method of activation thresholds: which values share one, equality with the integers, runs.
#include "train/network/thresholds.h"

#include <gtest/gtest.h>

#include <cmath>

#include "formats/ai8x/read_yaml.h"
#include "noise_run.h"
#include "train/layers/weights.h"
#include "train/network/description.h"
#include "train/network/integer.h"
#include "train/network/parameters.h"
#include "train/run/run.h"
#include "train/run/setup.h"

namespace edgetwin::train {
namespace {

constexpr const char* kJoined = R"(arch: joined
dataset: noise
layers:
  - {name: a, processors: 0x7, data_format: HWC, op: conv2d, kernel_size: 3x3, pad: 1, activate: ReLU, out_channels: 6, out_offset: 0x2000}
  - {name: b, processors: 0x3f, op: conv2d, avg_pool: 3, pool_stride: 2, kernel_size: 3x3, pad: 1, activate: Abs, out_channels: 6, quantization: 4, out_offset: 0}
  - {name: c, processors: 0x3f, op: conv2d, kernel_size: 1x1, pad: 0, out_channels: 6, out_offset: 0x2000}
  - {name: d, in_sequences: [c, b], processors: 0x3f, eltwise: add, op: conv2d, kernel_size: 3x3, pad: 1, operands: 2, activate: ReLU, out_channels: 5, out_offset: 0}
  - {name: p, processors: 0x1f, op: none, max_pool: 2, pool_stride: 1, out_offset: 0x2000}
  - {name: e, processors: 0x1f, op: linear, flatten: true, out_channels: 4, output_width: 32, out_offset: 0}
)";

Model joined_model() {
  const auto description = ai8x::read_network(kJoined, "j.yaml", ai8x::Device::max78002);
  EXPECT_TRUE(description.ok()) << to_text(description.error());
  BuildOptions options;
  options.input = {3, {9, 9}};
  auto network = build_network(*description, options);
  EXPECT_TRUE(network.ok()) << to_text(network.error());
  Model model;
  model.network = std::move(*network);
  initialize(model, 7);
  model.quantization[1].bits = 4;
  model.method = QuantizationMethod::thresholds;
  return model;
}

const std::vector<ValueThresholds> kFound = {{0, 2}, {0, 1}, {0, 3}, {-1, -2}, {0, 0}, {0, 5}};

TEST(TrainThresholds, OperandsOfASumShareTheSums) {
  const std::vector<LayerScales> scales = layer_scales(joined_model().network, kFound);
  const int wanted[][2] = {{0, 2}, {2, -1}, {-1, -1}, {-1, -2}, {-2, -2}, {-2, 0}};
  ASSERT_EQ(scales.size(), std::size(wanted));
  for (size_t i = 0; i < scales.size(); ++i) {
    EXPECT_EQ(scales[i].input, wanted[i][0]) << i;
    EXPECT_EQ(scales[i].output, wanted[i][1]) << i;
  }
}

TEST(TrainThresholds, SourcesThatAreJoinedShareTheLargest) {
  Network network = joined_model().network;
  network.layers[3].spec.eltwise = ai8x::Eltwise::none;  // c and b along channels
  const std::vector<LayerScales> scales = layer_scales(network, kFound);
  EXPECT_EQ(scales[1].output, 3);
  EXPECT_EQ(scales[2].input, 3);
  EXPECT_EQ(scales[3].input, 3);
  // d uses the parameters of a: what both read is the network's input, what both give is one group.
  network.layers[3].owner = 0;
  const std::vector<LayerScales> shared = layer_scales(network, kFound);
  EXPECT_EQ(shared[3].input, 0);
  EXPECT_EQ(shared[1].output, 0);
  EXPECT_EQ(shared[0].output, 2);
  EXPECT_EQ(shared[3].output, 2);
}

TEST(TrainThresholds, KeepTheFunctionAndGiveTheIntegers) {
  ThreadPool pool(1);
  Model model = joined_model();
  Maps input(2, 9, 9, 3);
  IntMaps integers(2, 9, 9, 3);
  Random random(1, Purpose::augmentation);
  for (size_t i = 0; i < input.values.size(); ++i) {
    integers.values[i] = static_cast<int32_t>(random.below(256)) - 128;
    input.values[i] = static_cast<float>(integers.values[i]) / 128;
  }
  Recording before, after;
  forward(model, input, false, before, pool);
  const std::vector<float> bias = model.parameters[1].bias;
  apply_thresholds(model, std::vector<ValueThresholds>{{0, 1}, {0, 0}, {0, 0}, {1, 1}, {}, {}});
  model.quantized = true;
  EXPECT_EQ(model.parameters[1].bias[0], bias[0] / 2);
  EXPECT_EQ(model.quantization[3].threshold, 0);
  forward(model, input, false, after, pool);
  const Maps& real = before.outputs.back();
  const Maps& quantized = after.outputs.back();
  const IntMaps chip = integer_forward(model, integers, pool).back();
  const double unit = std::ldexp(128.0 * 128.0, -model.quantization[5].final_scale);
  double largest = 0;
  for (const float v : real.values) largest = std::max(largest, std::abs(static_cast<double>(v)));
  for (size_t i = 0; i < real.values.size(); ++i) {
    EXPECT_NEAR(quantized.values[i], real.values[i], largest * 0.1) << i;
    EXPECT_EQ(static_cast<double>(quantized.values[i]) * unit, chip.values[i]) << i;
  }
}

// A value beyond 1 passes in floating point, and batch norm is not divided by 4.
TEST(TrainThresholds, FloatingPointHasNoLimits) {
  LayerSpec spec;
  spec.op = ai8x::Operator::conv2d;
  spec.window.kernel = {1, 1};
  spec.window.first = spec.window.second = 1;
  LayerParameters p{.weights = {3}, .bias = {}, .norm = BatchNorm()};
  p.norm->mean = {0};
  p.norm->variance = {1 - kBatchNormEpsilon};
  Maps input(1, 1, 1, 1);
  input.values[0] = 1;
  const std::vector<const Maps*> sources = {&input};
  ThreadPool pool(1);
  Tape tape;
  Phase phase{.quantization = {}, .training = false, .unlimited = true};
  EXPECT_NEAR(forward(spec, sources, p, phase, tape, pool).values[0], 3, 1e-6);
  const Backward back = backward(spec, sources, p, tape, input, true, pool);
  EXPECT_NEAR(back.gradients.weights[0], 1, 1e-6);
  phase.unlimited = false;
  EXPECT_NEAR(forward(spec, sources, p, phase, tape, pool).values[0], 0.75, 1e-6);
}

RunSettings threshold_settings(const TestFolder& folder, const std::string& output, int epochs) {
  RunSettings s = run_settings(folder, output, epochs);
  s.qat_method = QuantizationMethod::thresholds;
  return s;
}

TEST(TrainThresholds, ARunEndsEqualToTheTwin) {
  const TestFolder folder;
  write_all(folder);
  const RunSettings one = threshold_settings(folder, "one", 4);
  const auto result = train_network(one);
  ASSERT_TRUE(result.ok()) << to_text(result.error());
  EXPECT_GT(result->test.top1(), 60);
  ASSERT_TRUE(result->twin.has_value());
  EXPECT_EQ(result->twin->equal, 30);
  RunSettings first = threshold_settings(folder, "first", 3);
  first.threads = 3;
  ASSERT_TRUE(train_network(first).ok());
  RunSettings rest = threshold_settings(folder, "rest", 4);
  rest.resume = first.output / "qat_checkpoint.pth.tar";
  ASSERT_TRUE(train_network(rest).ok());
  for (const char* name : {"qat_checkpoint.pth.tar", "qat_best-q.pth.tar"}) {
    EXPECT_EQ(*read_file(one.output / name), *read_file(rest.output / name)) << name;
  }
}

TEST(TrainThresholds, CheckpointsOfTheOtherMethodAreRefused) {
  const TestFolder folder;
  write_all(folder);
  const RunSettings made = threshold_settings(folder, "made", 3);
  ASSERT_TRUE(train_network(made).ok());
  RunSettings other = run_settings(folder, "other", 4);
  other.resume = made.output / "qat_checkpoint.pth.tar";
  EXPECT_EQ(train_network(other).error().id(), "TRAIN-CKPT-04");
  RunSettings begun = threshold_settings(folder, "begun", 4);
  begun.init = made.output / "qat_checkpoint.pth.tar";
  EXPECT_EQ(set_up(begun).error().id(), "TRAIN-CKPT-04");
  begun.init = made.output / "checkpoint.pth.tar";
  EXPECT_TRUE(set_up(begun).ok());
  begun.qat_method = QuantizationMethod::shifts;
  begun.outlier_score = 4;
  EXPECT_EQ(set_up(begun).error().id(), "TRAIN-SET-02");
}

}  // namespace
}  // namespace edgetwin::train

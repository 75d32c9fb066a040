// Networks as ONNX files: read again and executed, the integers are those of the plain loops.
#include "train/export/onnx.h"

#include <gtest/gtest.h>

#include <cmath>

#include "exec/session.h"
#include "formats/ai8x/read_yaml.h"
#include "formats/onnx/import/onnx.h"
#include "formats/onnx/write/write.h"
#include "train/math/random.h"
#include "train/network/description.h"
#include "train/network/integer.h"
#include "train/network/parameters.h"
#include "train/network/thresholds.h"

namespace edgetwin::train {
namespace {

constexpr const char* kExported = R"(arch: exported
dataset: noise
layers:
  - {name: a, processors: 0x7, data_format: HWC, op: conv2d, kernel_size: 3x3, pad: 1, activate: ReLU, out_channels: 6, out_offset: 0x2000}
  - {name: b, processors: 0x3f, op: conv2d, avg_pool: 3, pool_stride: 2, kernel_size: 3x3, pad: 1, activate: Abs, out_channels: 6, quantization: 4, out_offset: 0}
  - {name: c, processors: 0x3f, op: conv2d, kernel_size: 1x1, pad: 0, groups: 6, out_channels: 6, out_offset: 0x2000}
  - {name: d, in_sequences: [c, b], processors: 0x3f, eltwise: sub, op: convtranspose2d, kernel_size: 3x3, pad: 1, operands: 2, activate: ReLU, out_channels: 5, out_offset: 0}
  - {name: e, processors: 0x1f, max_pool: 2, pool_stride: 2, op: linear, flatten: true, out_channels: 4, output_width: 32, out_offset: 0x2000}
)";

Model exported_model(NormKind norm) {
  const auto description = ai8x::read_network(kExported, "e.yaml", ai8x::Device::max78002);
  EXPECT_TRUE(description.ok()) << to_text(description.error());
  BuildOptions options;
  options.input = {3, {9, 9}};
  options.norm = norm;
  auto network = build_network(*description, options);
  EXPECT_TRUE(network.ok()) << to_text(network.error());
  Model model;
  model.network = std::move(*network);
  initialize(model, 5);
  for (size_t i = 0; i < model.network.layers.size(); ++i) {
    model.quantization[i].bits = model.network.layers[i].bits.value_or(8);
    if (!model.parameters[i].norm) continue;
    Random random(9, Purpose::weights, i);
    for (float& v : model.parameters[i].norm->mean) v = random.uniform() - 0.5F;
    for (float& v : model.parameters[i].norm->variance) v = 0.2F + random.uniform();
  }
  return model;
}

// What a session of the file gives for one item.
std::vector<float> outputs_of_file(const Exported& made, std::span<const float> input) {
  const auto file = onnx::write_document(made.document);
  EXPECT_TRUE(file.ok());
  Result<edgetwin::Model> read = onnx::read(*file, "e.onnx");
  EXPECT_TRUE(read.ok()) << to_text(read.error());
  const auto graph = std::make_shared<const Graph>(std::move(read->graphs[0]));
  auto session = exec::Session::create(graph, {.numerics = "onnx"});
  EXPECT_TRUE(session.ok()) << to_text(session.error());
  EXPECT_TRUE(session->set_input(0, to_bytes(std::as_bytes(input))).ok());
  EXPECT_TRUE(session->run().ok());
  const Tensor output = session->output(0);
  const auto values = output.as<float>();
  return {values.begin(), values.end()};
}

// `thresholds`: of the newer method, in floating point or quantized.
Model exported_model(NormKind norm, bool thresholds, bool quantized) {
  Model model = exported_model(norm);
  if (!thresholds) return model;
  model.method = QuantizationMethod::thresholds;
  if (!quantized) return model;
  fold_all(model);
  apply_thresholds(model, std::vector<ValueThresholds>{{0, 1}, {0, -1}, {0, 2}, {-1, 1}, {}});
  model.quantized = true;
  return model;
}

TEST(TrainExport, IntegersAreThoseOfTheChip) {
  ThreadPool pool(1);
  for (const bool thresholds : {false, true}) {
    const NormKind norm = thresholds ? NormKind::plain : NormKind::affine;
    Model model = exported_model(norm, thresholds, true);
    const auto made = export_onnx(model, ExportForm::integers);
    ASSERT_TRUE(made.ok()) << to_text(made.error());
    EXPECT_TRUE(made->inexact.empty());
    if (!thresholds) start_quantization(model);
    for (uint64_t item = 0; item < 5; ++item) {
      Random random(item, Purpose::augmentation);
      IntMaps input(1, 9, 9, 3);
      for (int32_t& v : input.values) v = static_cast<int32_t>(random.below(256)) - 128;
      Maps real(1, 9, 9, 3);
      for (size_t i = 0; i < real.values.size(); ++i) {
        real.values[i] = static_cast<float>(input.values[i]);
      }
      const std::vector<float> got = outputs_of_file(*made, to_planes(real));
      const IntMaps wanted = integer_forward(model, input, pool).back();
      ASSERT_EQ(got.size(), wanted.values.size());
      for (size_t i = 0; i < got.size(); ++i) {
        EXPECT_EQ(got[i], static_cast<float>(wanted.values[i])) << "item " << item << " " << i;
      }
    }
  }
}

TEST(TrainExport, RealNumbersAreThoseOfTraining) {
  ThreadPool pool(1);
  struct Kind {
    NormKind norm;
    bool thresholds, quantized;
  };
  for (const Kind& kind : {Kind{NormKind::none, false, false}, Kind{NormKind::plain, false, false},
                           Kind{NormKind::plain, true, false}, Kind{NormKind::none, true, true}}) {
    Model model = exported_model(kind.norm, kind.thresholds, kind.quantized);
    const auto made = export_onnx(model, ExportForm::real);
    ASSERT_TRUE(made.ok()) << to_text(made.error());
    Maps input(1, 9, 9, 3);
    Random random(1, Purpose::augmentation);
    for (float& v : input.values) v = static_cast<float>(random.below(256)) / 128 - 1;
    const std::vector<float> got = outputs_of_file(*made, to_planes(input));
    Recording recording;
    forward(model, input, false, recording, pool);
    const Maps& wanted = recording.outputs.back();
    ASSERT_EQ(got.size(), wanted.values.size());
    float largest = 0;
    for (const float v : wanted.values) largest = std::max(largest, std::abs(v));
    const double near = kind.quantized ? 0.15 * static_cast<double>(largest) : 1e-5;
    for (size_t i = 0; i < got.size(); ++i) EXPECT_NEAR(got[i], wanted.values[i], near);
  }
}

TEST(TrainExport, NamesSumsThatBinary32Rounds) {
  Model model = exported_model(NormKind::none);
  model.quantized = true;
  // 48 inputs of 127 * 128 are below 2^24, a larger layer is not: many inputs of the last one.
  LayerParameters& last = model.parameters.back();
  LayerSpec& spec = model.network.layers.back().spec;
  spec.window.second = 2000;
  last.weights.assign(spec.window.weights(), 1.0F);
  const auto made = export_onnx(model, ExportForm::integers);
  ASSERT_TRUE(made.ok());
  EXPECT_EQ(made->inexact, std::vector<std::string>{"e"});
}

TEST(TrainExport, RefusesBitwiseOperations) {
  Model model = exported_model(NormKind::none);
  model.network.layers[3].spec.eltwise = ai8x::Eltwise::bitwise_xor;
  const auto made = export_onnx(model, ExportForm::real);
  ASSERT_FALSE(made.ok());
  EXPECT_EQ(made.error().id(), "TRAIN-NET-07");
  EXPECT_EQ(made.error().place.layer, "d");
}

}  // namespace
}  // namespace edgetwin::train

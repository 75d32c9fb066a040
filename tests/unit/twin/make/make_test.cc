// The library makes what the program's verbs write.
#include <gtest/gtest.h>

#include <algorithm>

#include "base/file.h"
#include "edgetwin/check.h"
#include "edgetwin/compile.h"
#include "edgetwin/edgetpu.h"
#include "edgetwin/firmware.h"
#include "edgetwin/quantize.h"
#include "source_dir.h"

namespace edgetwin {
namespace {

std::vector<std::string> paths(const std::vector<MadeFile>& files) {
  std::vector<std::string> all;
  for (const MadeFile& f : files) all.push_back(f.path);
  return all;
}

TEST(Check, AnswersForEachChipThatFits) {
  const auto checks = check(case_file("net.onnx"));
  ASSERT_TRUE(checks.ok()) << to_text(checks.error());
  ASSERT_EQ(checks->size(), 2U);
  EXPECT_EQ((*checks)[0].target->name, "esp32s3");
  EXPECT_TRUE((*checks)[0].fits);
  const auto compiled = check(case_file("echo_edgetpu.tflite"));
  ASSERT_TRUE(compiled.ok()) << to_text(compiled.error());
  EXPECT_EQ(compiled->at(0).target->name, "edgetpu");
}

TEST(Check, RefusesWhatNoChipHasRulesFor) {
  const auto array = check(case_file("left.npy"));
  ASSERT_FALSE(array.ok());
  EXPECT_EQ(array.error().code, ErrorCode::file_kind);
}

// Without a target every chip that takes the file answers.
TEST(Check, AnswersForAllChips) {
  const auto network = check(case_file("quantize.tflite"));
  ASSERT_TRUE(network.ok()) << to_text(network.error());
  ASSERT_EQ(network->size(), 1U);
  EXPECT_EQ(network->front().target->name, "edgetpu");
  ASSERT_EQ(network->front().operators.size(), 1U);
  EXPECT_EQ(network->front().operators[0].group, -1);
  EXPECT_FALSE(network->front().fits);
  OpenOptions options;
  options.weights = case_file("small_weights.npy");
  options.bias = case_file("small_bias.npy");
  options.input_shape = "2x8x8";
  const auto description = check(case_file("small_test.yaml"), options);
  ASSERT_TRUE(description.ok()) << to_text(description.error());
  ASSERT_EQ(description->size(), 2U);
  EXPECT_EQ(description->at(0).target->name, "max78000");
  EXPECT_EQ(description->at(1).target->name, "max78002");
  EXPECT_TRUE(description->at(0).fits);
}

CompileOptions small_network() {
  CompileOptions options;
  options.open.target = "ai85";
  options.open.weights = case_file("small_weights.npy");
  options.open.bias = case_file("small_bias.npy");
  options.open.sample = case_file("small_sample.npy");
  return options;
}

TEST(Compile, MakesProjectAndTexts) {
  const auto compiled = compile(case_file("small.yaml"), small_network());
  ASSERT_TRUE(compiled.ok()) << to_text(compiled.error());
  ASSERT_TRUE(compiled->fits);
  EXPECT_EQ(compiled->target->name, "max78000");
  const auto files = paths(compiled->project);
  EXPECT_NE(std::find(files.begin(), files.end(), "cnn.c"), files.end());
  EXPECT_FALSE(compiled->program.empty());
  EXPECT_FALSE(compiled->expected.empty());
}

TEST(Compile, RefusesAChipWithoutACompiler) {
  CompileOptions options = small_network();
  options.open.target = "esp32s3";
  const auto compiled = compile(case_file("small.yaml"), options);
  ASSERT_FALSE(compiled.ok());
  EXPECT_NE(compiled.error().message.find("quantize"), std::string::npos);
}

TEST(Firmware, IsAnApplicationForOneChip) {
  FirmwareOptions options;
  options.open.target = "p4";
  const auto made = make_firmware({case_file("lane.espdl")}, options);
  ASSERT_TRUE(made.ok()) << to_text(made.error());
  EXPECT_EQ(made->target->name, "esp32p4");
  EXPECT_EQ(made->checks, 1U);
  const auto files = paths(made->files);
  EXPECT_NE(std::find(files.begin(), files.end(), "main/main.cpp"), files.end());
}

TEST(Quantize, MakesTheFilesOfEachFamily) {
  QuantizeOptions options;
  options.calibrate = {case_file("net_samples.npy")};
  options.analyse = true;
  options.target = "esp32p4";
  const auto espdl = quantize_network(case_file("net.onnx"), options);
  ASSERT_TRUE(espdl.ok()) << to_text(espdl.error());
  EXPECT_EQ(paths(espdl->files), (std::vector<std::string>{"net.espdl", "net.info", "net.json"}));
  EXPECT_FALSE(espdl->layers.empty());
  EXPECT_LT(espdl->output_noise.value_or(1.0), 0.1);
  options.target = "coral";
  const auto tflite = quantize_network(case_file("net.onnx"), options);
  ASSERT_TRUE(tflite.ok()) << to_text(tflite.error());
  EXPECT_EQ(paths(tflite->files), std::vector<std::string>{"net.tflite"});
  options.target = "max78000";
  const auto max78 = quantize_network(case_file("residual.onnx"), options);
  ASSERT_TRUE(max78.ok()) << to_text(max78.error());
  EXPECT_EQ(paths(max78->files),
            (std::vector<std::string>{"residual.yaml", "residual.pth.tar", "sample_residual.npy"}));
}

TEST(Quantize, SaysWhyANetworkDoesNotFit) {
  QuantizeOptions options;
  options.calibrate = {case_file("net_samples.npy")};
  options.target = "max78000";
  const auto made = quantize_network(case_file("misfits.onnx"), options);
  ASSERT_TRUE(made.ok()) << to_text(made.error());
  EXPECT_FALSE(made->fits);
  EXPECT_TRUE(made->files.empty());
  EXPECT_FALSE(made->findings.empty());
}

TEST(EdgeTpu, TextAndBackIsTheSameModel) {
  const std::string file = case_file("dense_edgetpu.tflite");
  const auto data = read_file(file);
  ASSERT_TRUE(data.ok());
  const auto text = disassemble(*data, file);
  ASSERT_TRUE(text.ok()) << to_text(text.error());
  const auto again = assemble(*text, "text", *data, file);
  ASSERT_TRUE(again.ok()) << to_text(again.error());
  EXPECT_EQ(*again, *data);
}

TEST(EdgeTpu, SynthesizesAndDecompiles) {
  const std::string source = case_file("dense256.tflite");
  const auto layer = read_file(source);
  ASSERT_TRUE(layer.ok());
  const auto compiled = synthesize(*layer, source);
  ASSERT_TRUE(compiled.ok()) << to_text(compiled.error());
  EXPECT_TRUE(disassemble(*compiled, "new").ok());
  const auto network = decompile(*compiled, "new");
  ASSERT_TRUE(network.ok()) << to_text(network.error());
  EXPECT_TRUE(network->complete);
  EXPECT_EQ(network->recovered, network->layers);
}

TEST(EdgeTpu, PatchesOneLayer) {
  const std::string file = case_file("dense_edgetpu.tflite");
  const auto refused = patch(file, "", {{"no such layer", {}, {}, {}}});
  EXPECT_FALSE(refused.ok());
}

TEST(Quantize, ACheckpointBecomesIntegers) {
  CheckpointOptions options;
  options.target = "max78000";
  const auto made = quantize_checkpoint(case_file("small.pth.tar"), options);
  ASSERT_TRUE(made.ok()) << to_text(made.error());
  EXPECT_TRUE(made->fits());
  ASSERT_FALSE(made->layers.empty());
  EXPECT_EQ(made->layers[0].bits, 8);
  options.scale = 0.5;  // of another method
  const auto unused = quantize_checkpoint(case_file("small.pth.tar"), options);
  ASSERT_FALSE(unused.ok());
  EXPECT_EQ(unused.error().code, ErrorCode::usage);
  options = {.target = "esp32p4"};
  EXPECT_FALSE(quantize_checkpoint(case_file("small.pth.tar"), options).ok());
}

}  // namespace
}  // namespace edgetwin

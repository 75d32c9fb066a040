#include "edgetwin/network.h"

#include <gtest/gtest.h>

#include "base/file.h"
#include "edgetwin/decode.h"
#include "edgetwin/inputs.h"
#include "edgetwin/measure.h"
#include "edgetwin/verify.h"
#include "edgetwin/weights.h"
#include "kernels/core/isa.h"
#include "source_dir.h"
#include "targets/edgetpu/synthesize/synthesize.h"
#include "unit/targets/edgetpu/decompile/source_model.h"

namespace edgetwin {
namespace {

std::string digits() { return source_dir() + "/models/digits/digits_int8.tflite"; }
std::string picture() { return source_dir() + "/models/digits/pictures/000_3.png"; }
TEST(Network, OpensByContent) {
  const auto network = Network::open(digits());
  ASSERT_TRUE(network.ok()) << to_text(network.error());
  EXPECT_EQ(network->kind(), FileKind::tflite);
  EXPECT_EQ(network->numerics(), "tflite");
  ASSERT_NE(network->target(), nullptr);
  EXPECT_EQ(network->target()->name, "tflite");
  EXPECT_EQ(network->sha256().size(), 64U);
}

TEST(Network, ChoosesTheTargetOfItsNumerics) {
  OpenOptions options;
  options.numerics = "edgetpu";
  const auto network = Network::open(digits(), options);
  ASSERT_TRUE(network.ok());
  EXPECT_EQ(network->target()->name, "edgetpu");
}

TEST(Network, OfTensorFlowLiteIsForEachChipThatTakesIt) {
  OpenOptions options;
  options.target = "coral";
  const Network network = Network::open(digits(), options).value();
  EXPECT_EQ(network.numerics(), "edgetpu");
  EXPECT_EQ(network.target()->name, "edgetpu");
  options.numerics = "tflite";
  EXPECT_EQ(Network::open(digits(), options).error().code, ErrorCode::usage);
}

TEST(Network, RefusesATargetOfAnotherFormat) {
  OpenOptions options;
  options.target = "max78000";
  const auto network = Network::open(digits(), options);
  ASSERT_FALSE(network.ok());
  EXPECT_NE(network.error().message.find("not for max78000"), std::string::npos);
}

TEST(Network, RefusesAFileWithoutANetwork) {
  EXPECT_FALSE(Network::open(picture()).ok());
  EXPECT_FALSE(Network::open(source_dir() + "/no such file").ok());
}

// The kernels' own copies of the weights are all that is left, and all that is needed.
TEST(Runner, OnceGivesConstantsBack) {
  const auto kept = Network::open(digits());
  const auto given = Network::open(digits());
  ASSERT_TRUE(kept.ok() && given.ok());
  auto plain = kept->runner();
  RunnerOptions options;
  options.once = true;
  auto once = given->runner(options);
  ASSERT_TRUE(plain.ok() && once.ok());
  const auto inputs = read_inputs({picture()}, **plain);
  ASSERT_TRUE(inputs.ok()) << to_text(inputs.error());
  const auto wanted = (*plain)->run(inputs->tensors);
  ASSERT_TRUE(wanted.ok());
  for (int i = 0; i < 2; ++i) {
    const auto run = (*once)->run(inputs->tensors);
    ASSERT_TRUE(run.ok());
    ASSERT_EQ(run->outputs.size(), wanted->outputs.size());
    for (size_t o = 0; o < run->outputs.size(); ++o) {
      EXPECT_EQ(run->outputs[o].data, wanted->outputs[o].data);
    }
  }
  EXPECT_EQ(weights_of(**once), nullptr);
  EXPECT_NE(weights_of(**plain), nullptr);
  EXPECT_TRUE(kept->runner().ok());
  // Machines without fast kernels read the constants themselves.
  if (kernels::best_isa() != kernels::Isa::plain) {
    EXPECT_EQ(given->runner().error().code, ErrorCode::usage);
  }
}

TEST(Runner, ComputesWhatWasRecorded) {
  const auto network = Network::open(digits());
  ASSERT_TRUE(network.ok());
  RunnerOptions options;
  options.keep_layers = true;
  auto twin = network->runner(options);
  ASSERT_TRUE(twin.ok()) << to_text(twin.error());
  const auto inputs = read_inputs({picture()}, **twin);
  ASSERT_TRUE(inputs.ok()) << to_text(inputs.error());
  auto recorded = recorded_runner(source_dir() + "/models/digits/expected/000_3");
  ASSERT_TRUE(recorded.ok()) << to_text(recorded.error());
  const auto same = compare(**twin, inputs->tensors, **recorded, {});
  ASSERT_TRUE(same.ok());
  EXPECT_GT(same->compared, 0U);
  EXPECT_EQ(same->different, 0U);
}

TEST(Runner, AnotherInputGivesAnotherResult) {
  const auto network = Network::open(digits());
  ASSERT_TRUE(network.ok());
  auto a = network->runner(), b = network->runner();
  ASSERT_TRUE(a.ok() && b.ok());
  const auto one = read_inputs({"xs32:1"}, **a), two = read_inputs({"xs32:2"}, **b);
  ASSERT_TRUE(one.ok() && two.ok());
  EXPECT_TRUE(compare(**a, one->tensors, **b, one->tensors)->equal());
  const auto parted = compare(**a, one->tensors, **b, two->tensors);
  EXPECT_FALSE(parted->equal());
  ASSERT_TRUE(parted->first.has_value());
  EXPECT_FALSE(parted->tensors[*parted->first].first_position.empty());
}

TEST(Runner, RefusesInputsOfAnotherSize) {
  const auto network = Network::open(digits());
  auto runner = network->runner();
  ASSERT_TRUE(runner.ok());
  EXPECT_FALSE((*runner)->run({}).ok());
  EXPECT_FALSE(read_inputs({case_file("five.npy")}, **runner).ok());
}

TEST(Runner, MachineAndVirtualDeviceOfACompiledModelAgree) {
  const Model source = edgetpu::dense_source(256);
  const auto made = edgetpu::synthesize(source);
  ASSERT_TRUE(made.ok()) << to_text(made.error());
  const auto bytes = edgetpu::compiled_model(source, *made);
  ASSERT_TRUE(bytes.ok()) << to_text(bytes.error());
  const auto network = Network::open(*bytes, "dense_edgetpu.tflite");
  ASSERT_TRUE(network.ok()) << to_text(network.error());
  EXPECT_EQ(network->kind(), FileKind::edgetpu);
  auto machine = network->runner();
  ASSERT_TRUE(machine.ok()) << to_text(machine.error());
  EXPECT_EQ((*machine)->where(), Where::machine);
  RunnerOptions options;
  options.where = Where::virtual_device;
  auto device = network->runner(options);
  ASSERT_TRUE(device.ok()) << to_text(device.error());
  const auto inputs = read_inputs({"xs32:1"}, **machine);
  ASSERT_TRUE(inputs.ok());
  const auto result = compare(**machine, inputs->tensors, **device, inputs->tensors);
  ASSERT_TRUE(result.ok()) << to_text(result.error());
  EXPECT_TRUE(result->equal());
  options.where = Where::twin;
  EXPECT_FALSE(network->runner(options).ok());
}

TEST(Runner, TwinAndMachineOfAMax78NetworkAgree) {
  OpenOptions options;
  options.target = "max78000";
  options.checkpoint = case_file("small.pth.tar");
  options.sample = case_file("small_sample.npy");
  const auto network = Network::open(case_file("small.yaml"), options);
  ASSERT_TRUE(network.ok()) << to_text(network.error());
  EXPECT_EQ(network->kind(), FileKind::max78);
  RunnerOptions how;
  how.keep_layers = true;
  auto twin = network->runner(how);
  ASSERT_TRUE(twin.ok()) << to_text(twin.error());
  how.where = Where::machine;
  auto machine = network->runner(how);
  ASSERT_TRUE(machine.ok()) << to_text(machine.error());
  const auto inputs = read_inputs({"xs32:7"}, **twin);
  ASSERT_TRUE(inputs.ok()) << to_text(inputs.error());
  const auto result = compare(**twin, inputs->tensors, **machine, inputs->tensors);
  ASSERT_TRUE(result.ok()) << to_text(result.error());
  EXPECT_TRUE(result->equal());
  EXPECT_GT(result->compared, 1U);
}

OpenOptions small_max78() {
  OpenOptions options;
  options.target = "max78000";
  options.weights = case_file("small_weights.npy");
  options.bias = case_file("small_bias.npy");
  options.sample = case_file("small_sample.npy");
  return options;
}

TEST(Network, OfTheMax78000OpensWithoutParameters) {
  OpenOptions options;
  options.target = "max78000";
  const auto network = Network::open(case_file("small_test.yaml"), options);
  ASSERT_TRUE(network.ok()) << to_text(network.error());
  const auto runner = network->runner();
  ASSERT_FALSE(runner.ok());
  EXPECT_NE(runner.error().message.find("weights are missing"), std::string::npos);
}

TEST(CompareFiles, FindsTheFirstElement) {
  const auto same =
      compare_files({case_file("add.tflite"), {}, {}}, {case_file("add.tflite"), {}, {}});
  ASSERT_TRUE(same.ok()) << to_text(same.error());
  EXPECT_TRUE(same->agreement.equal());
  const auto parted = compare_files({case_file("add.tflite"), {}, {}},
                                    {case_file("add_other_scale.tflite"), {}, {}});
  ASSERT_TRUE(parted.ok()) << to_text(parted.error());
  EXPECT_FALSE(parted->agreement.equal());
  ASSERT_TRUE(parted->agreement.first.has_value());
  EXPECT_GE(parted->agreement.tensors[*parted->agreement.first].first_index, 0);
}

TEST(CompareFiles, OtherNumericsOfOneNetwork) {
  Side a{digits(), {}, {}}, b{digits(), {}, {}};
  b.open.numerics = "edgetpu";
  const auto both = compare_files(a, b, {{picture()}, {}, 0.0});
  ASSERT_TRUE(both.ok()) << to_text(both.error());
  EXPECT_GT(both->agreement.different, 0U);
  EXPECT_FALSE(both->agreement.tensors[*both->agreement.first].layer.empty());
}

TEST(CompareFiles, RefusesInputsThatNobodyTakes) {
  const std::string folder = source_dir() + "/models/digits/expected/000_3";
  const auto both = compare_files({folder, {}, {}}, {folder, {}, {}}, {{"xs32:1"}, {}, 0.0});
  ASSERT_FALSE(both.ok());
  EXPECT_EQ(both.error().code, ErrorCode::usage);
}

TEST(CompareFiles, ARecordedFolderEqualsItself) {
  const std::string folder = source_dir() + "/models/digits/expected/000_3";
  const auto both = compare_files({folder, {}, {}}, {folder, {}, {}});
  ASSERT_TRUE(both.ok()) << to_text(both.error());
  EXPECT_TRUE(both->agreement.equal());
}

TEST(Decode, BestClassesOfARun) {
  const auto network = Network::open(digits());
  RunnerOptions how;
  how.decoder = "classify";
  const auto runner = network->runner(how);
  ASSERT_TRUE(runner.ok()) << to_text(runner.error());
  const auto inputs = read_inputs({picture()}, **runner);
  const auto run = (*runner)->run(inputs->tensors);
  const auto decoded = decode_outputs(*run, **runner, *inputs, {"classify", {}, {}, true});
  ASSERT_TRUE(decoded.ok()) << to_text(decoded.error());
  ASSERT_FALSE(decoded->classes.empty());
  EXPECT_EQ(decoded->classes[0].index, 3);
  EXPECT_FALSE(decoded->png.empty());
  EXPECT_FALSE(decode_outputs(*run, **runner, *inputs, {"none", {}, {}, false}).ok());
}

TEST(Decode, ClassesOfAMax78Network) {
  const auto network = Network::open(case_file("small_test.yaml"), small_max78());
  ASSERT_TRUE(network.ok()) << to_text(network.error());
  ASSERT_NE(network->sample(), nullptr);
  const auto runner = network->runner();
  ASSERT_TRUE(runner.ok()) << to_text(runner.error());
  const Inputs inputs{{*network->sample()}, {}, std::nullopt};
  const auto run = (*runner)->run(inputs.tensors);
  const auto decoded = decode_outputs(*run, **runner, inputs, {"classify", {}, {}, false});
  ASSERT_TRUE(decoded.ok()) << to_text(decoded.error());
  EXPECT_EQ(decoded->classes.size(), 3U);
}

TEST(Measure, CountsRuns) {
  const auto network = Network::open(case_file("small_test.yaml"), small_max78());
  const auto runner = network->runner();
  ASSERT_TRUE(runner.ok());
  const auto times = measure(**runner, std::vector<Tensor>{*network->sample()}, 3);
  ASSERT_TRUE(times.ok());
  EXPECT_EQ(times->runs.size(), 3U);
  EXPECT_LE(times->min, times->median);
  EXPECT_LE(times->median, times->max);
}

TEST(Compare, NothingIsNotAnAgreement) {
  EXPECT_FALSE(compare(edgetwin::Run{}, edgetwin::Run{}).equal());
}

}  // namespace
}  // namespace edgetwin

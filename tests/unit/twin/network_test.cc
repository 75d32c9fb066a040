#include "edgetwin/network.h"

#include <gtest/gtest.h>

#include "base/file.h"
#include "edgetwin/inputs.h"
#include "edgetwin/verify.h"
#include "source_dir.h"
#include "targets/edgetpu/synthesize/package.h"
#include "unit/targets/edgetpu/decompile/source_model.h"

namespace edgetwin {
namespace {

std::string digits() { return source_dir() + "/models/digits/digits_int8.tflite"; }
std::string picture() { return source_dir() + "/models/digits/pictures/000_3.png"; }
std::string case_file(const std::string& name) {
  return source_dir() + "/tests/cases/files/" + name;
}

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
  const auto layer = edgetpu::source_of(source.main());
  ASSERT_TRUE(layer.ok());
  const auto bytes = edgetpu::compiled_model(source.main(), *layer);
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

TEST(Compare, NothingIsNotAnAgreement) {
  EXPECT_FALSE(compare(edgetwin::Run{}, edgetwin::Run{}).equal());
}

}  // namespace
}  // namespace edgetwin

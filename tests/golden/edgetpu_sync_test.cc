// Public compiled models with their engines side by side, ordered by counters alone.
#include <gtest/gtest.h>

#include "base/file.h"
#include "golden/golden.h"
#include "instrumented.h"
#include "targets/edgetpu/forms/forms.h"
#include "targets/edgetpu/machine/machine.h"
#include "targets/edgetpu/sync/faults.h"
#include "targets/edgetpu/sync/sync.h"

namespace edgetwin::golden {
namespace {

using edgetpu::sync::SyncMachine;
using edgetpu::sync::SyncOptions;

fs::path sync_models() { return shared_data() / "edgetpu" / "models"; }

// The first package of a file that has a program for inferences.
struct SyncModel {
  darwinn::File file;
  const darwinn::Package* package = nullptr;
  std::vector<Bytes> inputs;
  std::vector<ByteSpan> spans() const { return {inputs.begin(), inputs.end()}; }
};

std::unique_ptr<SyncModel> load_sync_model(const std::string& name) {
  const auto data = read_file(sync_models() / name);
  if (!data.ok()) return nullptr;
  auto file = darwinn::read(*data, name);
  if (!file.ok()) return nullptr;
  auto model = std::make_unique<SyncModel>();
  model->file = std::move(*file);
  for (const auto& op : model->file.ops) {
    for (const auto& package : op.packages) {
      if (package.inference() != nullptr) model->package = &package;
    }
  }
  if (model->package == nullptr) return nullptr;
  uint32_t state = 7;
  for (const darwinn::Layer& layer : model->package->inference()->inputs) {
    Bytes bytes(static_cast<size_t>(layer.size_bytes));
    for (std::byte& b : bytes) {
      state = state * 1664525U + 1013904223U;
      b = static_cast<std::byte>(state >> 24U);
    }
    model->inputs.push_back(std::move(bytes));
  }
  return model;
}

class EdgetpuSideBySide : public ::testing::TestWithParam<const char*> {};

TEST_P(EdgetpuSideBySide, GivesTheBytesOfTheProgramsOrderAndHasNoRace) {
  if (shared_data().empty()) GTEST_SKIP() << "EDGETWIN_SHARED_DATA is not set";
  const auto model = load_sync_model(GetParam());
  if (model == nullptr) GTEST_SKIP() << GetParam() << " is not there";
  auto in_order = edgetpu::machine::Machine::make(*model->package);
  ASSERT_TRUE(in_order.ok()) << to_text(in_order.error());
  const auto expected = in_order->run(model->spans());
  ASSERT_TRUE(expected.ok()) << to_text(expected.error());
  for (const std::optional<uint64_t> seed :
       {std::optional<uint64_t>(), std::optional<uint64_t>(1), std::optional<uint64_t>(2)}) {
    SyncOptions options;
    options.seed = seed;
    options.races = true;
    options.exact_lines = true;  // see docs/edgetpu-sync.md, short lines
    auto machine = SyncMachine::make(*model->package, options);
    ASSERT_TRUE(machine.ok()) << to_text(machine.error());
    const auto outputs = machine->run(model->spans());
    ASSERT_TRUE(outputs.ok()) << to_text(outputs.error());
    EXPECT_FALSE(machine->report().standstill);
    EXPECT_EQ(*outputs, *expected);
    EXPECT_TRUE(machine->report().races.empty());
    EXPECT_TRUE(machine->caching().races.empty());
    EXPECT_GT(machine->report().checked.reads, 0U);
  }
}

std::string sync_test_name(const ::testing::TestParamInfo<const char*>& info) {
  std::string text = info.param;
  for (char& c : text) c = std::isalnum(static_cast<unsigned char>(c)) != 0 ? c : '_';
  return text;
}

INSTANTIATE_TEST_SUITE_P(
    Models, EdgetpuSideBySide,
    ::testing::Values("libredgetpu/dense_256_edgetpu.tflite",
                      "libredgetpu/gabor_128x128_7k_4o_2s_edgetpu.tflite",
                      "libredgetpu/bright_16x16_edgetpu.tflite",
                      "coral_usb_conv/conv2d_k3_same_12x112_64to64.eo.bin",
                      "coral_test_data/keras_lstm_mnist_ptq_edgetpu.tflite",
                      "coral_test_data/mobilenet_v1_0.25_128_quant_edgetpu.tflite"),
    sync_test_name);

// The older compiler's: chains of moves, each with two buffers, between which a tsync waits for the
// move engines alone; and nine vectors that a tile gets twice, in no order.
TEST(EdgetpuMoveChains, BeginWithTheirFirstBufferBehindATsyncOfTheMoves) {
  if (shared_data().empty()) GTEST_SKIP() << "EDGETWIN_SHARED_DATA is not set";
  if (kInstrumented) GTEST_SKIP() << "a minute and more under sanitizers";
  const auto model = load_sync_model(
      "coral_test_data/deeplab_mobilenet_edgetpu_slim_cityscapes_quant_edgetpu.tflite");
  if (model == nullptr) GTEST_SKIP() << "the model is not there";
  auto in_order = edgetpu::machine::Machine::make(*model->package);
  ASSERT_TRUE(in_order.ok()) << to_text(in_order.error());
  const auto expected = in_order->run(model->spans());
  ASSERT_TRUE(expected.ok()) << to_text(expected.error());
  SyncOptions options;
  options.races = true;
  options.exact_lines = true;
  auto machine = SyncMachine::make(*model->package, options);
  ASSERT_TRUE(machine.ok()) << to_text(machine.error());
  const auto outputs = machine->run(model->spans());
  ASSERT_TRUE(outputs.ok()) << to_text(outputs.error());
  EXPECT_EQ(*outputs, *expected);
  EXPECT_EQ(machine->report().races.size(), 9U);
  for (const auto& race : machine->report().races) {
    EXPECT_TRUE(race.same_bytes()) << machine->report().steps[race.step];
    EXPECT_NE(machine->report().steps[race.other].find("move.left"), std::string::npos);
  }
}

// Compilers count 64 words for a line that has fewer: the one kind of race of public programs.
TEST(EdgetpuShortLines, ReceiversOfShortLinesWaitTooLittle) {
  if (shared_data().empty()) GTEST_SKIP() << "EDGETWIN_SHARED_DATA is not set";
  const auto model = load_sync_model("libredgetpu/dense_256_edgetpu.tflite");
  if (model == nullptr) GTEST_SKIP() << "the model is not there";
  SyncOptions options;
  options.races = true;
  auto machine = SyncMachine::make(*model->package, options);
  ASSERT_TRUE(machine.ok()) << to_text(machine.error());
  ASSERT_TRUE(machine->run(model->spans()).ok());
  ASSERT_FALSE(machine->report().races.empty());
  for (const auto& race : machine->report().races) {
    EXPECT_EQ(race.kind, edgetpu::sync::RaceKind::write_after_read);
    EXPECT_EQ(race.memory, edgetpu::sync::Memory::wide);
    EXPECT_NE(machine->report().steps[race.step].find("ring.receive"), std::string::npos);
    EXPECT_NE(machine->report().steps[race.other].find("w2n"), std::string::npos);
  }
}

// Every change that can matter is found: the others wait and count as before or later at every
// place, or leave every access in order (docs/edgetpu-sync.md).
TEST(EdgetpuFaults, PlantedFaultsOfASmallProgramAreFound) {
  if (shared_data().empty()) GTEST_SKIP() << "EDGETWIN_SHARED_DATA is not set";
  const auto model = load_sync_model("libredgetpu/dense_256_edgetpu.tflite");
  if (model == nullptr) GTEST_SKIP() << "the model is not there";
  constexpr size_t kFaults = 40;
  const auto faults = edgetpu::sync::plant_faults(*model->package, model->spans(), kFaults, 3);
  ASSERT_TRUE(faults.ok()) << to_text(faults.error());
  ASSERT_EQ(faults->size(), kFaults);
  size_t found = 0;
  for (const auto& f : *faults) {
    using edgetpu::sync::FaultOutcome;
    const bool shown = f.outcome == FaultOutcome::race || f.outcome == FaultOutcome::standstill ||
                       f.outcome == FaultOutcome::bytes;
    found += shown ? 1U : 0U;
    EXPECT_NE(f.outcome, FaultOutcome::missed) << f.place;
  }
  EXPECT_GE(found, 9U);
}

// Every form of a public program is in the table that was counted in them.
TEST(EdgetpuForms, PublicProgramsHaveNoUnknownForm) {
  if (shared_data().empty()) GTEST_SKIP() << "EDGETWIN_SHARED_DATA is not set";
  for (const char* name : {"libredgetpu/dense_1024_edgetpu.tflite",
                           "coral_test_data/movenet_single_pose_lightning_ptq_edgetpu.tflite",
                           "coral_test_data/keras_lstm_mnist_ptq_edgetpu.tflite"}) {
    const auto model = load_sync_model(name);
    if (model == nullptr) continue;
    for (const Finding& f : edgetpu::forms::check_forms(model->file)) {
      ADD_FAILURE() << name << ": " << to_text(f);
    }
  }
}

}  // namespace
}  // namespace edgetwin::golden

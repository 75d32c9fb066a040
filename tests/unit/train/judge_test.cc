// A checkpoint judged in the three phases.
#include "train/judge/judge.h"

#include <gtest/gtest.h>

#include "base/file.h"
#include "noise_run.h"
#include "tensor/npy.h"
#include "test_folder.h"
#include "train/math/random.h"
#include "train/run/run.h"

namespace edgetwin::train {
namespace {

constexpr const char* kJudgedNetwork = R"(arch: judged
dataset: rows
layers:
  - {name: fc, processors: 0xf, data_format: HWC, op: linear, out_channels: 3, output_width: 32, out_offset: 0x2000}
)";

// Items whose largest feature is their class.
void write_rows(const TestFolder& folder) {
  std::string text = "a,b,c,d,label\n";
  Random random(1, Purpose::augmentation);
  for (int i = 0; i < 200; ++i) {
    const auto label = random.below(3);
    for (uint64_t c = 0; c < 4; ++c) text += c == label ? "0.9," : "-0.5,";
    text += std::to_string(label) + "\n";
  }
  const std::string network = kJudgedNetwork;
  ASSERT_TRUE(write_file(folder / "a.csv", as_byte_span(text), Overwrite::yes).ok());
  ASSERT_TRUE(write_file(folder / "net.yaml", as_byte_span(network), Overwrite::yes).ok());
}

RunSettings judged_settings(const TestFolder& folder) {
  RunSettings s;
  s.description = folder / "net.yaml";
  s.data = folder.path();
  s.output = folder / "run";
  std::filesystem::create_directories(s.output);
  s.epochs = 4;
  s.batch = 16;
  s.qat_start = 3;
  s.events = false;
  return s;
}

TEST(TrainJudge, PhasesAgreeAndFilesAreWhole) {
  const TestFolder folder;
  write_rows(folder);
  JudgeSettings s;
  s.run = judged_settings(folder);
  ASSERT_TRUE(train_network(s.run).ok());
  s.run.init = s.run.output / "best.pth.tar";
  const auto floating = judge(s);
  ASSERT_TRUE(floating.ok()) << to_text(floating.error());
  EXPECT_EQ(floating->phase, JudgedPhase::floating);
  EXPECT_EQ(floating->evaluation.top1(), 100);
  s.run.init = s.run.output / "qat_best.pth.tar";
  const auto quantized = judge(s);
  ASSERT_TRUE(quantized.ok());
  EXPECT_EQ(quantized->phase, JudgedPhase::quantized);
  s.integers = true;
  const auto integers = judge(s);
  ASSERT_TRUE(integers.ok());
  EXPECT_TRUE(integers->quantized_here);
  s.run.init = s.run.output / "qat_best-q.pth.tar";
  s.integers = false;
  const auto whole = judge(s);
  ASSERT_TRUE(whole.ok()) << to_text(whole.error());
  EXPECT_EQ(whole->phase, JudgedPhase::integers);
  EXPECT_FALSE(whole->quantized_here);
  EXPECT_EQ(integers->integer_outputs, whole->integer_outputs);
  EXPECT_EQ(integers->outputs, quantized->outputs);
  EXPECT_EQ(integers->evaluation.right, quantized->evaluation.right);
  const auto files = judged_files(*whole);
  ASSERT_TRUE(files.ok());
  ASSERT_EQ(files->size(), 6U);
  const auto outputs = read_npy((*files)[1].second, "outputs.npy");
  ASSERT_TRUE(outputs.ok());
  EXPECT_EQ(outputs->dtype, DType::int32);
  EXPECT_EQ(outputs->shape[0], static_cast<int64_t>(whole->items.size()));
  EXPECT_EQ(projection_tables(*whole).size(), 3U);
}

TEST(TrainJudge, PartsAndLimits) {
  const TestFolder folder;
  write_rows(folder);
  JudgeSettings s;
  s.run = judged_settings(folder);
  ASSERT_TRUE(train_network(s.run).ok());
  s.run.init = s.run.output / "best.pth.tar";
  s.part = JudgedPart::training;
  s.limit = 7;
  const auto some = judge(s);
  ASSERT_TRUE(some.ok());
  EXPECT_EQ(some->evaluation.items, 7);
  s.run.init = folder / "a.csv";
  EXPECT_FALSE(judge(s).ok());
}

// The folder of a run whose means are rounded or cut off.
RunSettings averaging_run(const TestFolder& folder, bool rounds) {
  write_all(folder);
  std::string text = kRunNetwork;
  text.replace(text.find("max_pool"), 3, "avg");
  EXPECT_TRUE(write_file(folder / "net.yaml", as_byte_span(text), Overwrite::yes).ok());
  RunSettings s = run_settings(folder, rounds ? "rounded" : "cut", 3);
  s.average_rounding = rounds;
  EXPECT_TRUE(train_network(s).ok());
  s.average_rounding = false;
  return s;
}

TEST(TrainJudge, MeansAreRoundedAsTheCheckpointSays) {
  const TestFolder folder;
  JudgeSettings s;
  s.run = averaging_run(folder, true);
  s.run.init = s.run.output / "qat_best.pth.tar";
  const auto quantized = judge(s);
  ASSERT_TRUE(quantized.ok()) << to_text(quantized.error());
  s.integers = true;
  const auto integers = judge(s);
  ASSERT_TRUE(integers.ok()) << to_text(integers.error());
  ASSERT_EQ(integers->integer_outputs.size(), quantized->outputs.size());
  for (size_t i = 0; i < quantized->outputs.size(); ++i) {
    EXPECT_EQ(static_cast<float>(integers->integer_outputs[i]), quantized->outputs[i] * 1024);
  }
  // The loader rounds ties away from zero.
  s.arithmetic = max78::Arithmetic::loader;
  const auto loader = judge(s);
  ASSERT_TRUE(loader.ok()) << to_text(loader.error());
  EXPECT_NE(loader->integer_outputs, integers->integer_outputs);
  s.arithmetic.reset();
  s.average_rounding = true;  // what it says anyway
  ASSERT_TRUE(judge(s).ok());
  s.average_rounding = false;
  s.run.init = s.run.output / "qat_best-q.pth.tar";
  const auto whole = judge(s);
  ASSERT_TRUE(whole.ok()) << to_text(whole.error());
  EXPECT_EQ(whole->integer_outputs, integers->integer_outputs);
}

TEST(TrainJudge, RefusesARoundingOrANumericsThatCannotBe) {
  const TestFolder folder;
  JudgeSettings s;
  s.run = averaging_run(folder, false);
  s.run.init = s.run.output / "qat_best.pth.tar";
  s.average_rounding = true;
  const auto other = judge(s);
  ASSERT_FALSE(other.ok());
  EXPECT_EQ(other.error().id(), "TRAIN-SET-02");
  s.average_rounding = false;
  s.arithmetic = max78::Arithmetic::document;
  const auto nobody = judge(s);
  ASSERT_FALSE(nobody.ok());
  EXPECT_EQ(nobody.error().id(), "TRAIN-SET-02");
  s.integers = true;
  EXPECT_TRUE(judge(s).ok());
}

}  // namespace
}  // namespace edgetwin::train

// One network on all chips: what the journal keeps, what all chips share, where they disagree.
#include <gtest/gtest.h>

#include "base/file.h"
#include "edgetwin/compare_chips.h"
#include "image/image.h"
#include "source_dir.h"
#include "test_folder.h"
#include "twin/compare/journal.h"

namespace edgetwin {
namespace {

CompareChipsOptions with_samples() {
  CompareChipsOptions o;
  o.targets = {"esp32s3", "edgetpu", "max78000"};
  o.quantize.calibrate = {case_file("net_samples.npy")};
  return o;
}

// Pictures of one colour each, with the classes 0 to 3 in turn.
std::string colored_set(const TestFolder& folder, int count) {
  std::string list;
  for (int i = 0; i < count; ++i) {
    Tensor t = *Tensor::zeros(DType::uint8, {8, 8, 3});
    for (size_t k = 0; k < t.data.size(); ++k) {
      t.data[k] = static_cast<std::byte>((i * 67 + static_cast<int>(k % 3) * i * 31) % 256);
    }
    const std::string name = std::to_string(i) + ".png";
    EXPECT_TRUE(write_file(folder / name, *encode_png(t), Overwrite::no).ok());
    list += name + "\t" + std::to_string(i % 4) + "\n";
  }
  EXPECT_TRUE(write_file(folder / "list.tsv", list, Overwrite::no).ok());
  return (folder / "list.tsv").string();
}

TEST(CompareChips, GoesOnWithItsJournal) {
  const TestFolder folder;
  CompareChipsOptions o = with_samples();
  o.journal = (folder / "page.html.journal").string();
  const auto first = compare_chips(case_file("residual.onnx"), o);
  ASSERT_TRUE(first.ok()) << to_text(first.error());
  EXPECT_EQ(first->resumed, 0U);
  o.targets.emplace_back("esp32p4");  // not yet in the journal
  const auto second = compare_chips(case_file("residual.onnx"), o);
  ASSERT_TRUE(second.ok()) << to_text(second.error());
  EXPECT_EQ(second->resumed, 3U);
  o.journal.clear();
  const auto fresh = compare_chips(case_file("residual.onnx"), o);
  ASSERT_TRUE(fresh.ok());
  EXPECT_EQ(compare_chips_json({*second}), compare_chips_json({*fresh}));
  EXPECT_EQ(compare_chips_page({*second}, "x"), compare_chips_page({*fresh}, "x"));
  ASSERT_TRUE(remove_comparison_journals((folder / "page.html.journal").string()).ok());
  EXPECT_EQ(folder.files(), 0U);
}

TEST(CompareChips, RefusesTheJournalOfAnotherComparison) {
  const TestFolder folder;
  CompareChipsOptions o = with_samples();
  o.targets = {"esp32s3"};
  o.journal = (folder / "journal").string();
  ASSERT_TRUE(compare_chips(case_file("net.onnx"), o).ok());
  o.quantize.samples = 2;
  const auto other = compare_chips(case_file("net.onnx"), o);
  ASSERT_FALSE(other.ok());
  EXPECT_EQ(other.error().id(), "EVAL-PART-02");
}

TEST(CompareChips, ALineThatIsCutOffDoesNotCount) {
  const TestFolder folder;
  CompareChipsOptions o = with_samples();
  o.targets = {"esp32s3", "edgetpu"};
  o.journal = (folder / "journal").string();
  ASSERT_TRUE(compare_chips(case_file("net.onnx"), o).ok());
  const Bytes network = *read_file(case_file("net.onnx"));
  const std::string identity = twin::comparison_identity(network, o);
  const Bytes data = *read_file(folder / "journal.chips");
  const std::string_view text = as_text(data);
  EXPECT_EQ(twin::read_comparison(text, identity, "j")->size(), 2U);
  EXPECT_EQ(twin::read_comparison(text.substr(0, text.size() - 1), identity, "j")->size(), 1U);
  std::string damaged(text);
  damaged[damaged.size() / 2] ^= 1;
  EXPECT_LT(twin::read_comparison(damaged, identity, "j")->size(), 2U);
  EXPECT_EQ(twin::read_comparison("", identity, "j")->size(), 0U);
  EXPECT_FALSE(twin::read_comparison(text, "other", "j").ok());
}

TEST(CompareChips, SaysWhereTheChipsDisagree) {
  const TestFolder folder;
  CompareChipsOptions o = with_samples();
  o.targets = {"esp32s3", "esp32p4", "edgetpu", "max78000"};
  o.evaluate.emplace();
  o.evaluate->task = "classify";
  o.evaluate->data = colored_set(folder, 120);
  o.evaluate->mean = {128.0F};
  o.evaluate->std = {128.0F};
  const auto made = compare_chips(case_file("residual.onnx"), o);
  ASSERT_TRUE(made.ok()) << to_text(made.error());
  ASSERT_TRUE(made->accuracy);
  EXPECT_EQ(made->accuracy->count, 120);
  for (const ComparedChip& c : made->chips) {
    ASSERT_TRUE(c.accuracy) << c.target << ": " << c.accuracy_reason;
    ASSERT_EQ(c.answers.size(), 120U);
    // The sums of right answers follow from those of the float network and the samples in the list.
    int64_t right = made->accuracy->right;
    const auto chip = static_cast<size_t>(&c - made->chips.data());
    size_t differs = 0;
    for (const ComparedSample& s : made->parted) {
      right -= s.real == s.label ? 1 : 0;
      right += s.chips[chip] == s.label ? 1 : 0;
      differs += s.chips[chip] != s.real ? 1 : 0;
    }
    EXPECT_EQ(right, c.accuracy->right) << c.target;
    EXPECT_LT(differs, 20U) << c.target;  // integers of 8 bits, not another network
  }
  EXPECT_FALSE(made->parted.empty());
  const std::string page = compare_chips_page({*made}, "x");
  EXPECT_NE(page.find("Where the chips disagree"), std::string::npos);
}

TEST(CompareChips, WhatIsWrongForEveryChipIsAnError) {
  const TestFolder folder;
  CompareChipsOptions o = with_samples();
  o.quantize.calibrate = {folder.path().string()};
  const auto empty = compare_chips(case_file("net.onnx"), o);
  ASSERT_FALSE(empty.ok());
  EXPECT_EQ(empty.error().id(), "QNT-CAL-01");
}

}  // namespace
}  // namespace edgetwin

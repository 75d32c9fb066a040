#include "decode/classify.h"
#include "edgetwin/decode.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>

#include "base/file.h"

namespace edgetwin {
namespace {

class LabelsTest : public testing::Test {
 protected:
  Labels read(std::string_view text) {
    const auto path =
        std::filesystem::temp_directory_path() / ("edgetwin-labels-" + std::to_string(::getpid()));
    EXPECT_TRUE(write_file(path, text, Overwrite::yes).ok());
    const auto labels = read_labels(path.string());
    std::filesystem::remove(path);
    return labels.ok() ? *labels : Labels();
  }
};

TEST_F(LabelsTest, OnePerLine) {
  EXPECT_EQ(read("cat\r\ndog\n"), (Labels{"cat", "dog"}));
  EXPECT_EQ(read("cat\n\ndog"), (Labels{"cat", "", "dog"}));
  EXPECT_EQ(read("0\n1\n2\n"), (Labels{"0", "1", "2"}));
  EXPECT_EQ(read(""), Labels());
  EXPECT_EQ(read("\xEF\xBB\xBF"
                 "cat\ndog\n"),
            (Labels{"cat", "dog"}));
}

TEST_F(LabelsTest, NumberedLines) {
  EXPECT_EQ(read("0  person\n2  car\n"), (Labels{"person", "", "car"}));
  EXPECT_EQ(read("1: one\n"), (Labels{"", "one"}));
  EXPECT_EQ(read("5 apples\npears\n"), (Labels{"5 apples", "pears"}));
}

Tensor scores(std::vector<int8_t> values) {
  Tensor t = Tensor::zeros(DType::int8, {1, static_cast<int64_t>(values.size())}).value();
  std::copy(values.begin(), values.end(), t.as<int8_t>().begin());
  t.quant = Quant::affine(0.5F, -2);
  return t;
}

TEST(BestClasses, TiesGoToTheLowerIndex) {
  const auto best = best_classes(scores({1, 5, 5, -3}), {"a", "b"}, 3);
  ASSERT_EQ(best.size(), 3U);
  EXPECT_EQ(best[0].index, 1);
  EXPECT_EQ(best[0].score, 3.5);
  EXPECT_EQ(best[0].label, "b");
  EXPECT_EQ(best[1].index, 2);
  EXPECT_EQ(best[1].label, "");
  EXPECT_EQ(best[2].index, 0);
}

TEST(BestClasses, OnlyVectorsAreClassifications) {
  EXPECT_TRUE(decode::is_classification(scores({1, 2})));
  EXPECT_FALSE(decode::is_classification(scores({1})));
  EXPECT_FALSE(decode::is_classification(Tensor::zeros(DType::int8, {2, 3}).value()));
}

}  // namespace
}  // namespace edgetwin

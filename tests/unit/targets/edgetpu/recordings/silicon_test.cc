#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>

#include "base/file.h"
#include "targets/edgetpu/recordings/cases.h"
#include "targets/edgetpu/recordings/recorded.h"
#include "targets/edgetpu/recordings/rules.h"
#include "targets/edgetpu/recordings/verify.h"

namespace edgetwin::edgetpu::silicon {
namespace {

namespace fs = std::filesystem;

TEST(SiliconKinds, NamesGoBothWays) {
  size_t rows = 0;
#define SILICON_KIND(kind, meaning)               \
  EXPECT_EQ(kind_by_name(#kind), CaseKind::kind); \
  EXPECT_EQ(name(CaseKind::kind), #kind);         \
  EXPECT_NE(std::string(meaning), "");            \
  EXPECT_EQ(static_cast<size_t>(CaseKind::kind), rows++);
#include "targets/edgetpu/recordings/kinds.def"
#undef SILICON_KIND
  // Case::what has its alternatives in this order.
  EXPECT_EQ(std::variant_size_v<decltype(Case::what)>, rows);
  EXPECT_EQ(kind_by_name("guess"), std::nullopt);
}

TEST(SiliconRules, NumbersInTheWordsOfARule) {
  using Numbers = std::vector<double>;
  EXPECT_EQ(numbers_like("all 128", "all #"), (Numbers{128}));
  EXPECT_EQ(numbers_like("x uniform(0.5*wmin, 2), uniform(-0.3, 0.3, 256)", "uniform(#, #, #)"),
            (Numbers{-0.3, 0.3, 256}));
  EXPECT_EQ(numbers_like("score 0.75781 = 194/256", "# = #/#"), (Numbers{0.75781, 194, 256}));
  EXPECT_EQ(numbers_like("nothing", "all #"), std::nullopt);
  EXPECT_EQ(numbers_like("all ", "all #"), std::nullopt);
  EXPECT_EQ(numbers_like("", "#"), std::nullopt);
}

// The first numbers of numpy.random.RandomState(42), as its documentation and thousands of programs
// show them.
TEST(SiliconRules, RandomStateIsNumpys) {
  RandomState uniform(42);
  EXPECT_DOUBLE_EQ(uniform.uniform(0.0, 1.0), 0.3745401188473625);
  EXPECT_DOUBLE_EQ(uniform.uniform(0.0, 1.0), 0.9507143064099162);
  EXPECT_DOUBLE_EQ(uniform.uniform(0.0, 1.0), 0.7319939418114051);
  RandomState normal(42);
  EXPECT_NEAR(normal.normal(0.0, 1.0), 0.4967141530112327, 1e-15);
  EXPECT_NEAR(normal.normal(0.0, 1.0), -0.13826430117118466, 1e-15);
  EXPECT_NEAR(normal.normal(0.0, 1.0), 0.6476885381006925, 1e-15);
}

TEST(SiliconRecorded, HashesAndDigits) {
  EXPECT_EQ(hash_text(fnv1a({})), "0xcbf29ce484222325");
  EXPECT_EQ(hash_text(fnv1a(as_byte_span("a"))), "0xaf63dc4c8601ec8c");
  EXPECT_EQ(significant_digits(0.46, 6), "0.46");
  EXPECT_EQ(significant_digits(0.0000123456789, 6), "1.23457e-05");
  EXPECT_EQ(fixed_digits(202.5, 6), "202.500000");
}

TEST(SiliconCases, RowsOfBothForms) {
  const auto with = read_rows(
      "pose_id,pose_score,keypoint_id,keypoint_score,keypoint_x,keypoint_y\n0,0.9,3,0.98,0.4,0.2\n",
      "a.csv");
  ASSERT_TRUE(with.ok()) << to_text(with.error());
  ASSERT_EQ(with->size(), 1U);
  EXPECT_EQ((*with)[0].pose_score, "0.9");
  EXPECT_EQ((*with)[0].keypoint, 3);
  EXPECT_EQ((*with)[0].y, "0.2");
  const auto without = read_rows(
      "pose_id,keypoint_id,keypoint_score,keypoint_x,keypoint_y\r\n1,2,0.5,10,20\r\n", "");
  ASSERT_TRUE(without.ok());
  EXPECT_EQ((*without)[0].pose_score, std::nullopt);
  EXPECT_EQ((*without)[0].x, "10");
  for (const char* bad :
       {"0,1,2\n", "pose_id,keypoint_id,keypoint_score,keypoint_x,keypoint_y\n1,2\n"}) {
    const auto rows = read_rows(bad, "a.csv");
    ASSERT_FALSE(rows.ok()) << bad;
    EXPECT_EQ(rows.error().code, ErrorCode::silicon_cases);
    EXPECT_TRUE(rows.error().place.line.has_value());
  }
}

TEST(SiliconCases, WhatCannotBeUnderstoodIsNamed) {
  const auto error = [](const char* text) {
    const auto cases = read_cases(text, "cases.json");
    EXPECT_FALSE(cases.ok()) << text;
    return cases.ok() ? std::string() : cases.error().message;
  };
  EXPECT_NE(error("{").find("no JSON"), std::string::npos);
  EXPECT_NE(error("{\"cases\": 1e999999}").find("no type can hold"), std::string::npos);
  EXPECT_NE(error(R"({"cases": [{"id": "a", "model": "m", "kind": "score", "ties": 1e300}]})")
                .find("another type"),
            std::string::npos);
  EXPECT_NE(error("[]").find("no list"), std::string::npos);
  EXPECT_NE(error(R"({"cases": [3]})").find("case 0 is no object"), std::string::npos);
  EXPECT_NE(error(R"({"cases": [{"id": "a", "model": "m"}]})").find("'kind' is missing"),
            std::string::npos);
  EXPECT_NE(error(R"({"cases": [{"id": "a", "model": "m", "kind": "guess"}]})").find("'guess'"),
            std::string::npos);
  EXPECT_NE(error(R"({"cases": [{"id": "a", "model": 7, "kind": "score"}]})").find("another type"),
            std::string::npos);
  EXPECT_NE(error(R"({"cases": [{"id": "a", "model": "m", "kind": "decoded_rows", "image": "i",
                     "device_rows": "d", "cpu_rows": "c", "input_shape": [1]}]})")
                .find("'input_shape'"),
            std::string::npos);
  EXPECT_NE(error(R"({"cases": [{"id": "a", "model": "m", "kind": "printed_outputs"}]})")
                .find("neither 'rows' nor 'scenes'"),
            std::string::npos);
  EXPECT_NE(error(R"({"cases": [{"id": "a", "model": "m", "kind": "printed_statistics",
                     "rule": "", "reversal": ""}]})")
                .find("'r_squared' is missing"),
            std::string::npos);
}

class SiliconFolder : public ::testing::Test {
 protected:
  void SetUp() override {
    folder_ = fs::temp_directory_path() / ("edgetwin_silicon_" + std::to_string(getpid()));
    fs::create_directories(folder_);
  }
  void TearDown() override { fs::remove_all(folder_); }

  Result<Report> verified(const std::string& cases, const std::string& device = "edgetpu") {
    const std::string text = R"({"cases": [)" + cases + "]}";
    EXPECT_TRUE(write_file(folder_ / "cases.json", std::string_view(text), Overwrite::yes).ok());
    Options options;
    options.folder = folder_;
    options.device = device;
    return verify(options);
  }
  fs::path folder_;
};

std::string dense(const std::string& model, const std::string& hash) {
  return R"({"id": "dense 4", "kind": "output_hash", "model": ")" + model +
         R"(", "device_hash": ")" + hash + R"("})";
}

// Bytes 0, 1, 2, 3 through identity weights, and four times the output's zero point.
TEST_F(SiliconFolder, HashesOfDenseLayers) {
  const std::array<std::byte, 4> same = {std::byte{0}, std::byte{1}, std::byte{2}, std::byte{3}};
  const std::array<std::byte, 4> zero = {std::byte{128}, std::byte{128}, std::byte{128},
                                         std::byte{128}};
  const auto report = verified(dense("Dense 4 x 4, identity weights 127", hash_text(fnv1a(same))) +
                               "," + dense("Dense, all weights 0", hash_text(fnv1a(zero))) + "," +
                               dense("Dense 4 x 4, identity weights 127", "0x0000000000000000") +
                               "," + dense("Dense, weights unknown", "0x0"));
  ASSERT_TRUE(report.ok()) << to_text(report.error());
  ASSERT_EQ(report->checks.size(), 4U);
  EXPECT_EQ(report->checks[0].outcome, Outcome::equal) << report->checks[0].detail;
  EXPECT_EQ(report->checks[1].outcome, Outcome::equal) << report->checks[1].detail;
  EXPECT_EQ(report->checks[2].outcome, Outcome::different);
  EXPECT_NE(report->checks[2].detail.find("recorded 0x0000000000000000"), std::string::npos);
  EXPECT_EQ(report->checks[3].outcome, Outcome::missing);
  EXPECT_FALSE(report->equal());
}

TEST_F(SiliconFolder, ModelsThatAreNotThereAreMissing) {
  const auto report = verified(
      R"({"id": "a", "kind": "full_output", "model": "m.tflite", "input": "i", "output": "o"},
         {"id": "b", "kind": "score", "model": "net", "image": "p.jpg", "device_value": "1 = 2/2"})");
  ASSERT_TRUE(report.ok()) << to_text(report.error());
  EXPECT_EQ(report->count(Outcome::missing), 2U);
  EXPECT_EQ(report->checks[0].detail, "no file m.tflite");
  EXPECT_EQ(report->checks[1].detail, "no file net.tflite");
  EXPECT_TRUE(report->equal());
}

TEST_F(SiliconFolder, DeviceResultsAreLeftOutWithoutTheirArithmetic) {
  const auto report = verified(dense("Dense 4 x 4, identity weights 127", "0x0"), "");
  ASSERT_TRUE(report.ok());
  EXPECT_TRUE(report->checks.empty());
}

TEST_F(SiliconFolder, UnknownArithmeticsAndFoldersAreErrors) {
  EXPECT_EQ(
      verified(dense("Dense 4 x 4, identity weights 127", "0x0"), "edgetpu:ties=odd").error().code,
      ErrorCode::numerics_unknown);
  Options nowhere;
  nowhere.folder = folder_ / "nowhere";
  EXPECT_EQ(verify(nowhere).error().code, ErrorCode::file_open);
}

TEST_F(SiliconFolder, FilesAreFoundByNameTheFirstFolderFirst) {
  fs::create_directories(folder_ / "a" / "deep");
  fs::create_directories(folder_ / "b");
  for (const char* file : {"a/deep/x.bin", "b/x.bin", "b/y.bin"}) {
    ASSERT_TRUE(write_file(folder_ / file, std::string_view("1"), Overwrite::no).ok());
  }
  const auto files = Files::list({folder_ / "b", folder_ / "a"});
  ASSERT_TRUE(files.ok());
  EXPECT_EQ(files->find("pose/x.bin"), folder_ / "b" / "x.bin");
  EXPECT_EQ(files->find("y.bin"), folder_ / "b" / "y.bin");
  EXPECT_EQ(files->find("z.bin"), std::nullopt);
}

}  // namespace
}  // namespace edgetwin::edgetpu::silicon

#include "targets/espdl/log/log.h"

#include <gtest/gtest.h>

namespace edgetwin::targets::espdl {
namespace {

using Verdict = DeviceLog::Verdict;

DeviceLog read(std::string_view text) {
  const auto log = read_device_log(text, "device.log");
  EXPECT_TRUE(log.ok()) << text;
  return log.ok() ? *log : DeviceLog();
}

constexpr std::string_view kPass =
    "EDGETWIN info begin=1 target=esp32s3\n"
    "EDGETWIN load a PASS n=1\n"
    "EDGETWIN output a/y PASS n=10\n"
    "EDGETWIN summary PASS checks=2 failed=0\n";

TEST(DeviceLog, AWholeLogPasses) {
  const DeviceLog log = read(kPass);
  EXPECT_EQ(log.verdict, Verdict::pass);
  ASSERT_EQ(log.checks.size(), 2U);
  EXPECT_EQ(log.checks[1].suite, "output");
  EXPECT_EQ(log.checks[1].name, "a/y");
  EXPECT_EQ(log.checks[1].compared, 10);
  EXPECT_EQ(log.checks[1].line, 3);
  EXPECT_EQ(log.value("target"), "esp32s3");
  EXPECT_EQ(log.starts, 1);
}

TEST(DeviceLog, NoiseColoursAndPrefixesAreLookedThrough) {
  const DeviceLog log = read(
      "ESP-ROM:esp32s3-20210327\r\n\xff\xfe garbage \x1b[0;3\r\n"
      "\x1b[0;32mI (31) boot: chip revision: v0.2\x1b[0m\r\n"
      "\x1b[0;32mI (99) app: EDGETWIN load a PASS n=1\x1b[0m\r\n"
      "W (100) wifi: EDGETWIN lut b%20c FAIL first=3 hw=-32768 sim=7 count=2 node=x%25y "
      "reason=r\r\n"
      "EDGETWINGS are not ours\r\n"
      "noise EDGETWIN summary FAIL checks=2 failed=1\r\nmore\r\n");
  EXPECT_EQ(log.verdict, Verdict::fail);
  ASSERT_EQ(log.checks.size(), 2U);
  EXPECT_EQ(log.checks[1].name, "b c");
  EXPECT_EQ(log.checks[1].first, 3);
  EXPECT_EQ(log.checks[1].hw, -32768);
  EXPECT_EQ(log.checks[1].sim, 7);
  EXPECT_EQ(log.checks[1].count, 2);
  EXPECT_EQ(log.checks[1].node, "x%y");
  EXPECT_EQ(log.checks[1].reason, "r");
  EXPECT_EQ(log.first_failure(), &log.checks[1]);
  EXPECT_TRUE(log.findings.empty());
}

TEST(DeviceLog, WithoutASummaryNothingPasses) {
  const std::string text(kPass);
  const DeviceLog log = read(text.substr(0, text.find("EDGETWIN summary")));
  EXPECT_EQ(log.verdict, Verdict::incomplete);
  EXPECT_FALSE(log.has_summary);
  ASSERT_EQ(log.findings.size(), 1U);
  EXPECT_EQ(log.findings[0].severity, Severity::error);
  // Cut within the last line: "failed=0" could have gone on.
  EXPECT_EQ(read(text.substr(0, text.size() - 1)).verdict, Verdict::incomplete);
}

TEST(DeviceLog, LostAndDamagedLinesAreNoticed) {
  const DeviceLog lost =
      read("EDGETWIN load a PASS n=1\nEDGETWIN summary PASS checks=2 failed=0\n");
  EXPECT_EQ(lost.verdict, Verdict::incomplete);
  EXPECT_NE(lost.findings.at(0).message.find("lines are missing"), std::string::npos);
  const DeviceLog damaged = read(
      "EDGETWIN load a PASS n=1\nEDGETWIN lut b PA\nEDGETWIN summary PASS checks=1 failed=0\n");
  EXPECT_EQ(damaged.verdict, Verdict::incomplete);
  EXPECT_EQ(damaged.findings.at(0).place, "line 2");
  for (const char* line :
       {"lut b FAIL first=1 hw=2 sim=3", "lut b FAIL first=1 hw=x sim=3 count=1",
        "lut b FAIL first=1 hw=2 sim=3 count=0", "lut b PASS n=99999999999999999999",
        "lut b PASS n=1 n=2", "lut b PASS", "lut b", "lut", "summary PASS checks=1",
        "summary WELL checks=1 failed=0"}) {
    const DeviceLog log = read("EDGETWIN load a PASS n=1\nEDGETWIN " + std::string(line) +
                               "\nEDGETWIN summary PASS checks=1 failed=0\n");
    EXPECT_EQ(log.verdict, Verdict::incomplete) << line;
  }
  EXPECT_EQ(read("EDGETWIN summary PASS checks=0 failed=0\n").verdict, Verdict::incomplete);
  EXPECT_EQ(read("EDGETWIN load a PASS n=1\nEDGETWIN summary FAIL checks=1 failed=1\n").verdict,
            Verdict::fail);
}

TEST(DeviceLog, TheLastRunCounts) {
  const std::string begun =
      "EDGETWIN info begin=1\nEDGETWIN load a FAIL first=0 hw=0 sim=1 count=1\n";
  const DeviceLog log = read(begun + std::string(kPass));
  EXPECT_EQ(log.verdict, Verdict::pass);
  EXPECT_EQ(log.starts, 2);
  ASSERT_EQ(log.findings.size(), 1U);
  EXPECT_EQ(log.findings[0].severity, Severity::note);
  EXPECT_EQ(read(std::string(kPass) + begun).verdict, Verdict::fail);
  EXPECT_EQ(read(std::string(kPass) + "EDGETWIN info begin=1\n").verdict, Verdict::incomplete);
}

TEST(DeviceLog, TheFailureThatNamesAnOperatorComesFirst) {
  const DeviceLog log = read(
      "EDGETWIN output a/y FAIL first=1 hw=2 sim=3 count=4\n"
      "EDGETWIN output b/y FAIL first=1 hw=2 sim=3 count=4 node=conv\n");
  ASSERT_NE(log.first_failure(), nullptr);
  EXPECT_EQ(log.first_failure()->node, "conv");
}

constexpr std::string_view kOlder =
    "I (1) LUT_VALIDATION: ====\r\n"
    "I (2) LUT_VALIDATION:    Starting Multi-Layer LUT Validation Loop\r\n"
    "I (3) LUT_VALIDATION:    TARGET: ESP32-P4\r\n"
    "I (4) LUT_VALIDATION: Testing Layer: swish_test\r\n"
    "I (5) LUT_VALIDATION: \x1b[32m  \xe2\x9c\x85 SUCCESS: swish_test matches 100% "
    "(Bit-Exact)\x1b[0m\r\n"
    "I (6) LUT_VALIDATION: Testing Layer: tanh_test\r\n";

TEST(OlderLog, FailuresHaveTheirFirstMismatch) {
  const DeviceLog log = read(std::string(kOlder) +
                             "E (7) LUT_VALIDATION:   Mismatch at 17: HW=-5 vs Sim=-6\r\n"
                             "E (7) LUT_VALIDATION:   Mismatch at 18: HW=1 vs Sim=2\r\n"
                             "E (8) LUT_VALIDATION: \x1b[31m  \xe2\x9d\x8c FAILURE: tanh_test "
                             "found 123 mismatches\x1b[0m\r\n"
                             "I (9) LUT_VALIDATION: Validation Suite Finished.\r\n");
  EXPECT_EQ(log.form, DeviceLog::Form::older);
  EXPECT_EQ(log.verdict, Verdict::fail);
  EXPECT_TRUE(log.has_summary);
  EXPECT_EQ(log.value("target"), "ESP32-P4");
  ASSERT_EQ(log.checks.size(), 2U);
  EXPECT_TRUE(log.checks[0].passed);
  EXPECT_EQ(log.checks[0].name, "swish_test");
  EXPECT_EQ(log.checks[1].name, "tanh_test");
  EXPECT_EQ(log.checks[1].first, 17);
  EXPECT_EQ(log.checks[1].hw, -5);
  EXPECT_EQ(log.checks[1].sim, -6);
  EXPECT_EQ(log.checks[1].count, 123);
}

TEST(OlderLog, ALayerWithoutVerdictDoesNotPass) {
  const std::string finished = "I (9) LUT_VALIDATION: Validation Suite Finished.\n";
  EXPECT_EQ(read(kOlder).verdict, Verdict::incomplete);
  EXPECT_EQ(read(std::string(kOlder) + finished).verdict, Verdict::incomplete);
  const std::string passed = "SUCCESS: tanh_test matches 100% (Bit-Exact)\n";
  EXPECT_EQ(read(std::string(kOlder) + passed).verdict, Verdict::incomplete);
  const DeviceLog log = read(std::string(kOlder) + passed + finished);
  EXPECT_EQ(log.verdict, Verdict::pass);
  ASSERT_EQ(log.findings.size(), 1U);
  EXPECT_NE(log.findings[0].message.find("32767"), std::string::npos);
  // Mismatches and then a claim of success contradict each other.
  EXPECT_EQ(
      read(std::string(kOlder) + "Mismatch at 1: HW=1 vs Sim=2\n" + passed + finished).verdict,
      Verdict::fail);
}

TEST(DeviceLog, OtherTextIsRefused) {
  for (const char* text : {"", "\n\n", "hello\nworld", "TARGET: esp32\n", "EDGETWIN"}) {
    const auto log = read_device_log(text, "other.log");
    ASSERT_FALSE(log.ok()) << text;
    EXPECT_EQ(log.error().code, ErrorCode::device_log);
    EXPECT_EQ(log.error().place.file, "other.log");
  }
}

TEST(DeviceLog, LimitsHold) {
  std::string many;
  for (int i = 0; i < 100'001; ++i) many += "EDGETWIN a b PASS n=1\n";
  EXPECT_FALSE(read_device_log(many, "many").ok());
  EXPECT_FALSE(read_device_log(std::string(kMaxLogBytes + 1, 'x'), "large").ok());
  // A line without end is noise.
  const DeviceLog log =
      read(std::string(100'000, 'z') + "EDGETWIN lut a PA\n" + std::string(kPass));
  EXPECT_EQ(log.verdict, Verdict::pass);
  std::string damaged;
  for (int i = 0; i < 1000; ++i) damaged += "EDGETWIN lut a\n";
  EXPECT_EQ(read(damaged).findings.size(), 100U);
}

}  // namespace
}  // namespace edgetwin::targets::espdl

// The generated application is compiled with stand-ins for the chip's headers (tests/firmware) and
// run; what it prints is read back.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "base/file.h"
#include "unit/targets/espdl/firmware/application.h"
#include "unit/targets/espdl/firmware/firmware_cases.h"

namespace edgetwin::targets::espdl {
namespace {

using firmware_cases::Application;
using firmware_cases::byte_sweep_case;
using firmware_cases::small_case;
using firmware_cases::sweep_case;
using ::testing::HasSubstr;

FirmwareOptions run_options() {
  FirmwareOptions result;
  result.target = "esp32s3";
  return result;
}

void expect_all_pass(Application& app) {
  const DeviceLog log = app.run();
  EXPECT_EQ(log.verdict, DeviceLog::Verdict::pass) << app.text();
  EXPECT_EQ(log.checks.size(), 7U);
  EXPECT_EQ(log.checks[1].name, "small/y");
  EXPECT_EQ(log.checks[1].compared, 2);
  EXPECT_EQ(log.checks.back().compared, 256);
  EXPECT_EQ(log.value("target"), "esp32s3");
  EXPECT_EQ(log.value("esp_dl"), "3.3.9");
  EXPECT_EQ(log.value("chip_revision"), "0.2");
  EXPECT_EQ(log.value("highest"), "32767");
  EXPECT_EQ(log.value("model_sha256").size(), 64U);
  EXPECT_TRUE(log.findings.empty());
}

void expect_first_node(Application& app) {
  const DeviceLog log = app.run("FAKE_FAULT='conv 2%:2:5'");
  EXPECT_EQ(log.verdict, DeviceLog::Verdict::fail) << app.text();
  ASSERT_NE(log.first_failure(), nullptr);
  EXPECT_EQ(log.first_failure()->node, "conv 2%");
  const auto node = std::find_if(log.checks.begin(), log.checks.end(),
                                 [](const LogCheck& c) { return c.suite == "node"; });
  ASSERT_NE(node, log.checks.end());
  EXPECT_EQ(node->first, 2);
  EXPECT_EQ(node->hw, 307);
  EXPECT_EQ(node->sim, 302);
  EXPECT_EQ(node->count, 1);
  // Both outputs come later and are wrong; each says where it began.
  EXPECT_EQ(std::count_if(log.checks.begin(), log.checks.end(),
                          [](const LogCheck& c) { return c.node == "conv 2%"; }),
            3);
}

void expect_wrong_entry(Application& app) {
  // 65535 is the input 32767, the last of the sweep, in a run that is filled up.
  const DeviceLog log = app.run("FAKE_CHUNK=1000 FAKE_FAULT=output:65535:-1");
  EXPECT_EQ(log.verdict, DeviceLog::Verdict::fail) << app.text();
  ASSERT_NE(log.first_failure(), nullptr);
  EXPECT_EQ(log.first_failure()->suite, "lut");
  EXPECT_EQ(log.first_failure()->name, "table");
  EXPECT_EQ(log.first_failure()->first, 65535);
  EXPECT_EQ(log.first_failure()->sim, static_cast<int16_t>(65535 * 31));
  EXPECT_EQ(log.first_failure()->hw, static_cast<int16_t>(65535 * 31) - 1);
  EXPECT_EQ(log.first_failure()->count, 1);
  EXPECT_THAT(app.text(), HasSubstr("highest=32767 chunk=1000 padded=464"));
  EXPECT_THAT(app.text(), HasSubstr("input 32767 included"));
}

TEST(FirmwareRun, PassesAndNamesWhatIsWrong) {
  Application app(run_options(), {small_case(), sweep_case(), byte_sweep_case()});
  ASSERT_TRUE(app.compiled()) << app.messages();
  expect_all_pass(app);
  expect_first_node(app);
  expect_wrong_entry(app);

  const DeviceLog unloaded = app.run("FAKE_NO_LOAD=table");
  EXPECT_EQ(unloaded.verdict, DeviceLog::Verdict::fail);
  ASSERT_NE(unloaded.first_failure(), nullptr);
  EXPECT_EQ(unloaded.first_failure()->suite, "load");
  EXPECT_EQ(unloaded.first_failure()->reason, "not-loaded");
  EXPECT_EQ(unloaded.checks.size(), 6U) << "the other cases are still run";

  // Any cut of a log is never a pass.
  app.run();
  const std::string whole = app.text();
  for (size_t size = 0; size < whole.size() - 1; size += 1 + size % 13) {
    const auto cut = read_device_log(std::string_view(whole).substr(0, size), "cut");
    if (cut.ok()) {
      EXPECT_NE(cut->verdict, DeviceLog::Verdict::pass) << size;
    }
  }
}

TEST(FirmwareRun, DigestsNameTheNodeTooAndDamagedDataIsNoticed) {
  FirmwareOptions o = run_options();
  o.node_bytes = 3;
  o.always_check_nodes = true;
  Application app(o, {small_case()});
  ASSERT_TRUE(app.compiled()) << app.messages();
  const DeviceLog good = app.run();
  EXPECT_EQ(good.verdict, DeviceLog::Verdict::pass) << app.text();
  EXPECT_EQ(good.checks.back().suite, "node");
  EXPECT_EQ(good.checks.back().compared, 3);

  const DeviceLog log = app.run("FAKE_FAULT='conv 2%:0:1'");
  ASSERT_NE(log.first_failure(), nullptr) << app.text();
  EXPECT_EQ(log.first_failure()->node, "conv 2%");
  EXPECT_EQ(log.checks.back().reason, "digest");

  // A bit of the model, then of the golden data, falls over in the flash.
  for (const char* file : {"small.espdl", "small.golden"}) {
    Bytes bytes = read_file(app.data(file)).value();
    bytes[200] ^= std::byte{4};
    ASSERT_TRUE(write_file(app.data(file), ByteSpan(bytes), Overwrite::yes).ok());
    app.link();
    ASSERT_TRUE(app.compiled()) << app.messages();
    const DeviceLog damaged = app.run();
    EXPECT_EQ(damaged.verdict, DeviceLog::Verdict::fail);
    ASSERT_NE(damaged.first_failure(), nullptr);
    EXPECT_EQ(damaged.first_failure()->reason,
              std::string(file) == "small.espdl" ? "model-crc32" : "golden-crc");
  }
}

TEST(FirmwareRun, ModelsOfPartitionsAreReadFromThere) {
  FirmwareOptions o = run_options();
  o.target = "esp32p4";
  o.place = ModelPlace::partition;
  Application app(o, {small_case(), byte_sweep_case()});
  ASSERT_TRUE(app.compiled()) << app.messages();
  const DeviceLog log = app.run();
  EXPECT_EQ(log.verdict, DeviceLog::Verdict::pass) << app.text();
  EXPECT_EQ(log.value("target"), "esp32p4");
  EXPECT_EQ(log.checks.size(), 5U);
}

TEST(FirmwareRun, AnotherChipIsRefused) {
  Application app(run_options(), {small_case()}, "esp32p4");
  ASSERT_TRUE(app.compiled()) << app.messages();
  const DeviceLog log = app.run();
  EXPECT_EQ(log.verdict, DeviceLog::Verdict::fail);
  ASSERT_EQ(log.checks.size(), 1U);
  EXPECT_EQ(log.checks[0].reason, "other-target");
}

}  // namespace
}  // namespace edgetwin::targets::espdl

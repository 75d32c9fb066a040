// The generated application is compiled with stand-ins for the chip's headers (tests/firmware) and
// run; what it prints is read back.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <stdlib.h>
#include <sys/wait.h>

#include <algorithm>
#include <filesystem>
#include <fstream>

#include "base/file.h"
#include "source_dir.h"
#include "targets/espdl/firmware/firmware.h"
#include "targets/espdl/firmware/golden.h"
#include "targets/espdl/log/log.h"
#include "unit/targets/espdl/firmware/firmware_cases.h"

namespace edgetwin::targets::espdl {
namespace {

namespace fs = std::filesystem;
using firmware_cases::byte_sweep_case;
using firmware_cases::small_case;
using firmware_cases::sweep_case;
using ::testing::HasSubstr;

int shell(const std::string& command) {
  const int status = std::system(command.c_str());
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

std::string content(const fs::path& path) {
  const auto bytes = read_file(path);
  return bytes.ok() ? std::string(as_text(*bytes)) : "";
}

// An application in a folder of its own, compiled once.
class Application {
 public:
  // `target`: of the chip it is built for, if not that of the options.
  Application(const FirmwareOptions& options, const std::vector<FirmwareCase>& cases,
              const std::string& target = "") {
    std::string name = (fs::temp_directory_path() / "edgetwin-firmware-XXXXXX").string();
    folder_ = mkdtemp(name.data());
    const auto files = make_firmware(options, cases);
    EXPECT_TRUE(files.ok()) << (files.ok() ? "" : to_text(files.error()));
    if (!files.ok()) return;
    for (const auto& [path, bytes] : *files) put(folder_ / "app" / path, bytes);
    for (const FirmwareCase& one : cases) {
      uint64_t everything = uint64_t{1} << 30;
      put(folder_ / "replay" / (one.name + ".golden"), write_golden(one, everything).value());
      put(folder_ / "replay" / (one.name + ".espdl"), one.model_file);
    }
    compile(target.empty() ? options.target : target);
  }
  ~Application() { fs::remove_all(folder_); }

  bool compiled() const { return compiled_; }
  const std::string& messages() const { return messages_; }
  fs::path data(const std::string& file) const { return folder_ / "app/main/data" / file; }

  // Takes in what is now in data/.
  void link() {
    const std::string command = "cd '" + (folder_ / "app/main").string() + "' && " + compiler() +
                                " -I. blobs.S ../../*.o -o ../../program > ../../messages 2>&1";
    compiled_ = shell(command) == 0;
    messages_ = content(folder_ / "messages");
  }

  // `environment`: "FAKE_FAULT='conv:1:3'" and the like.
  DeviceLog run(const std::string& environment = "") {
    const std::string log = (folder_ / "log").string();
    const int code = shell("FAKE_REPLAY='" + (folder_ / "replay").string() + "' " + environment +
                           " '" + (folder_ / "program").string() + "' > '" + log + "' 2>&1");
    text_ = content(log);
    EXPECT_EQ(code, 0) << text_;
    const auto result = read_device_log(text_, "log");
    EXPECT_TRUE(result.ok()) << text_;
    return result.ok() ? *result : DeviceLog();
  }
  const std::string& text() const { return text_; }

 private:
  static std::string compiler() {
    const char* chosen = std::getenv("CXX");
    return chosen == nullptr || *chosen == '\0' ? "c++" : chosen;
  }

  void compile(const std::string& target) {
    const std::string stand_in = source_dir() + "/tests/firmware/stand_in";
    const std::string command =
        "cd '" + folder_.string() + "' && " + compiler() +
        " -std=gnu++20 -Wall -Wextra -Werror -fno-exceptions -c -Iapp/main -I'" + stand_in +
        "' -DCONFIG_IDF_TARGET='\"" + target + "\"' app/main/*.cpp '" + stand_in +
        "/fake_runtime.cc' > messages 2>&1";
    compiled_ = shell(command) == 0;
    messages_ = content(folder_ / "messages");
    if (compiled_) link();
  }

  static void put(const fs::path& path, const Bytes& bytes) {
    fs::create_directories(path.parent_path());
    EXPECT_TRUE(write_file(path, ByteSpan(bytes), Overwrite::yes).ok());
  }

  fs::path folder_;
  bool compiled_ = false;
  std::string messages_, text_;
};

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

// A generated application in a folder of its own, compiled with the stand-ins for the chip's
// headers (tests/firmware) and run.
#pragma once

#include <gtest/gtest.h>
#include <stdlib.h>
#include <sys/wait.h>

#include <filesystem>
#include <string>
#include <vector>

#include "base/file.h"
#include "source_dir.h"
#include "targets/espdl/firmware/firmware.h"
#include "targets/espdl/firmware/golden.h"
#include "targets/espdl/log/log.h"

namespace edgetwin::firmware_cases {

namespace fs = std::filesystem;
using targets::espdl::DeviceLog;
using targets::espdl::FirmwareCase;
using targets::espdl::FirmwareOptions;
using targets::espdl::make_firmware;
using targets::espdl::read_device_log;
using targets::espdl::write_golden;

inline int shell(const std::string& command) {
  const int status = std::system(command.c_str());
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

inline std::string content(const fs::path& path) {
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
    const bool sees = fs::exists(folder_ / "app/main/vision.cpp");
    const bool reads = fs::exists(folder_ / "app/main/texts.cpp");
    const std::string vision = (sees ? " '" + stand_in + "/fake_vision.cc'" : "") +
                               (reads ? " '" + stand_in + "/fake_texts.cc'" : "");
    // File by file: most of them are those of other tests too, and a cache knows them.
    const std::string command =
        "cd '" + folder_.string() +
        "' || exit 1; cached=$(command -v ccache); for source in app/main/*.cpp '" + stand_in +
        "/fake_runtime.cc'" + vision + "; do CCACHE_NOHASHDIR=1 $cached " + compiler() +
        " -std=gnu++20 -Wall -Wextra -Werror -fno-exceptions -c -Iapp/main -I'" + stand_in +
        "' -DCONFIG_IDF_TARGET='\"" + target + "\"' \"$source\" || exit 1; done > messages 2>&1";
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

}  // namespace edgetwin::firmware_cases

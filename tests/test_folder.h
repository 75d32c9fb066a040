// A folder for the files of one test, which goes with it.
#pragma once

#include <gtest/gtest.h>
#include <stdlib.h>

#include <filesystem>
#include <iterator>
#include <string>

namespace edgetwin {

class TestFolder {
 public:
  TestFolder() {
    std::string pattern = ::testing::TempDir() + "/edgetwin-test-XXXXXX";
    const char* made = ::mkdtemp(pattern.data());
    if (made != nullptr) path_ = made;
    EXPECT_NE(made, nullptr) << pattern;
  }
  ~TestFolder() {
    if (!path_.empty()) std::filesystem::remove_all(path_);
  }
  TestFolder(const TestFolder&) = delete;
  TestFolder& operator=(const TestFolder&) = delete;

  std::filesystem::path operator/(const std::string& name) const { return path_ / name; }
  const std::filesystem::path& path() const { return path_; }
  // Files and folders in it and below.
  size_t files() const {
    return static_cast<size_t>(
        std::distance(std::filesystem::recursive_directory_iterator(path_), {}));
  }

 private:
  std::filesystem::path path_;
};

}  // namespace edgetwin

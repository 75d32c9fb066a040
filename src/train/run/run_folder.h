// The folder of a run: each file written beside and renamed.
#pragma once

#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

#include "base/file.h"

namespace edgetwin::train {

class RunFolder {
 public:
  explicit RunFolder(std::filesystem::path path) : path_(std::move(path)) {}

  Status write(const std::string& name, ByteSpan bytes) {
    EDGETWIN_TRY(write_file(path_ / name, bytes, Overwrite::yes));
    note(name);
    return Ok{};
  }
  // A file that is written by others.
  void note(const std::string& name) {
    if (std::find(files_.begin(), files_.end(), name) == files_.end()) files_.push_back(name);
  }
  const std::vector<std::string>& files() const { return files_; }

 private:
  std::filesystem::path path_;
  std::vector<std::string> files_;
};

}  // namespace edgetwin::train

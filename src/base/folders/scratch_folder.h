// A folder for files that go away again.
#pragma once

#include <filesystem>

#include "base/result.h"

namespace edgetwin {

// Made where the system keeps temporary files, for this user alone; removed with all that is in it,
// by remove_unfinished() too.
class ScratchFolder {
 public:
  // Error: file_write.
  static Result<ScratchFolder> make();
  ScratchFolder(ScratchFolder&& other) noexcept;
  ScratchFolder(const ScratchFolder&) = delete;
  ScratchFolder& operator=(const ScratchFolder&) = delete;
  ScratchFolder& operator=(ScratchFolder&&) = delete;
  ~ScratchFolder();
  const std::filesystem::path& path() const { return path_; }

 private:
  explicit ScratchFolder(std::filesystem::path path) : path_(std::move(path)) {}
  std::filesystem::path path_;
};

}  // namespace edgetwin

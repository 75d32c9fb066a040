#include "base/folders/scratch_folder.h"

#include <stdlib.h>

#include <string>
#include <system_error>

namespace edgetwin {

namespace fs = std::filesystem;

Result<ScratchFolder> ScratchFolder::make() {
  std::error_code failed;
  std::string name = (fs::temp_directory_path(failed) / "edgetwin-XXXXXX").string();
  if (failed || ::mkdtemp(name.data()) == nullptr) {
    return Error(ErrorCode::file_write, "no folder for temporary files can be made")
        .in_file(name)
        .with_hint("Set TMPDIR to a folder that can be written.");
  }
  return ScratchFolder(fs::path(name));
}

ScratchFolder::ScratchFolder(ScratchFolder&& other) noexcept : path_(std::move(other.path_)) {
  other.path_.clear();
}

ScratchFolder::~ScratchFolder() {
  std::error_code ignored;
  if (!path_.empty()) fs::remove_all(path_, ignored);
}

}  // namespace edgetwin

#include "base/folders/scratch_folder.h"

#include <string>
#include <system_error>

#include "base/file_parts.h"
#include "base/system/system.h"

namespace edgetwin {

namespace fs = std::filesystem;

Result<ScratchFolder> ScratchFolder::make() {
  std::error_code failed;
  std::string name = (fs::temp_directory_path(failed) / "edgetwin-XXXXXX").string();
  if (failed || !base::system::make_unique_folder(name)) {
    return Error(ErrorCode::file_write, "no folder for temporary files can be made")
        .in_file(name)
        .with_hint("Set TMPDIR to a folder that can be written.");
  }
  base::Unfinished::all().add(name, 0);  // goes away with a program that is interrupted, too
  return ScratchFolder(fs::path(name));
}

ScratchFolder::ScratchFolder(ScratchFolder&& other) noexcept : path_(std::move(other.path_)) {
  other.path_.clear();
}

ScratchFolder::~ScratchFolder() {
  if (path_.empty()) return;
  std::error_code ignored;
  fs::remove_all(path_, ignored);
  base::Unfinished::all().drop(path_);
}

}  // namespace edgetwin

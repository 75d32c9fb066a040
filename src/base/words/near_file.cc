#include "base/words/near_file.h"

#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

#include "base/words/near_word.h"

namespace edgetwin {

namespace fs = std::filesystem;

Error with_near_file(Error error) {
  if (error.code != ErrorCode::file_open || error.place.file.empty()) return error;
  const fs::path path = error.place.file;
  const fs::path folder = path.has_parent_path() ? path.parent_path() : fs::path(".");
  std::error_code failed;
  if (fs::exists(path, failed) || failed) return error;
  if (!fs::is_directory(folder, failed)) {
    error.hint = "There is no folder '" + folder.string() + "': check its name.";
    return error;
  }
  constexpr size_t kMost = 10000;
  std::vector<std::string> names;
  fs::directory_iterator at(folder, failed);
  for (; !failed && at != fs::directory_iterator() && names.size() < kMost; at.increment(failed)) {
    names.push_back(at->path().filename().string());
  }
  std::sort(names.begin(), names.end());  // the order of a folder differs from disk to disk
  const std::string near = did_you_mean(path.filename().string(), names);
  if (!near.empty()) error.hint = "The folder has no such name" + near;
  return error;
}

}  // namespace edgetwin

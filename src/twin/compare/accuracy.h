// How many answers are right: the float network, and the files that a chip loads.
#pragma once

#include "edgetwin/compare_chips.h"

namespace edgetwin::twin {

// Files that were made and not written, in a folder that goes away with this.
class MadeFolder {
 public:
  // Error: file_write.
  static Result<MadeFolder> make(const std::vector<MadeFile>& files);
  MadeFolder(MadeFolder&& other) noexcept : path_(std::move(other.path_)) { other.path_.clear(); }
  MadeFolder& operator=(MadeFolder&&) = delete;
  ~MadeFolder();
  std::string file(const std::string& path) const { return path_ + "/" + path; }

 private:
  explicit MadeFolder(std::string path) : path_(std::move(path)) {}
  std::string path_;
};

// Errors: those of evaluate().
Result<ChipAccuracy> accuracy_of(const Candidate& candidate, const EvaluateOptions& options);

}  // namespace edgetwin::twin

// What the functions of inspect.h share.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "base/folders/scratch_folder.h"
#include "serve/inspect/inspect.h"

namespace edgetwin::serve {

// Empty where it is absent.
std::string member_of(const Members& m, const std::string& key);
// Error: bad_value for what is no whole number from 0 to `most`.
Result<int64_t> number_member(const Members& m, const std::string& key, int64_t most);

// The opened files of a list of ids, comma separated, in its order. Error: bad_value for none, for
// more than can be open, and for an id that is none.
Result<OpenedFiles> files_member(const FileStore& files, const Members& m, const std::string& key);

// With what `explain` says of its rule.
Json explained(const Finding& finding);

// A folder for functions of the library that take paths; it goes away with the request.
class BriefFolder {
 public:
  // Error: file_write.
  static Result<BriefFolder> create();
  // The path of the file that was written. Errors: file_write.
  Result<std::string> write(const std::string& name, ByteSpan data) const;
  // One set of calibration data: the path of the only file, or that of this folder with all.
  Result<std::string> write_set(const OpenedFiles& all) const;
  const std::filesystem::path& path() const { return folder_.path(); }

 private:
  explicit BriefFolder(ScratchFolder folder) : folder_(std::move(folder)) {}
  ScratchFolder folder_;
};

}  // namespace edgetwin::serve

// What the functions of inspect.h share.
#pragma once

#include <filesystem>
#include <string>

#include "serve/inspect/inspect.h"

namespace edgetwin::serve {

// Empty where it is absent.
std::string member_of(const Members& m, const std::string& key);
// Error: bad_value for what is no whole number from 0 to `most`.
Result<int64_t> number_member(const Members& m, const std::string& key, int64_t most);

// With what `explain` says of its rule.
Json explained(const Finding& finding);

// A folder below that of temporary files, which only this user can read; removed with all that is
// in it. For functions of the library that take paths.
class BriefFolder {
 public:
  static Result<BriefFolder> create();
  BriefFolder(BriefFolder&& other) noexcept : path_(std::exchange(other.path_, {})) {}
  BriefFolder& operator=(BriefFolder&&) = delete;
  ~BriefFolder();
  // The path of the file that was written. Errors: file_write.
  Result<std::string> write(const std::string& name, ByteSpan data) const;
  const std::filesystem::path& path() const { return path_; }

 private:
  explicit BriefFolder(std::filesystem::path path) : path_(std::move(path)) {}
  std::filesystem::path path_;
};

}  // namespace edgetwin::serve

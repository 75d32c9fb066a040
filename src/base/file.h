// Files read whole with a limit, and written so that a failure leaves nothing behind.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "base/bytes.h"
#include "base/result.h"

namespace edgetwin {

// 2 GiB: a FlatBuffer cannot be larger, and no other file kind here comes near.
inline constexpr uint64_t kMaxFileBytes = uint64_t{1} << 31;

// The whole content. Errors: file_open, file_not_regular, file_too_large.
Result<Bytes> read_file(const std::filesystem::path& path, uint64_t limit = kMaxFileBytes);

enum class Overwrite : uint8_t { no, yes };

// Whether write_file may write here, as far as can be known before. Error: output_exists; folders
// and devices are never replaced.
Status check_output(const std::filesystem::path& path, Overwrite overwrite);

// Writes beside the target and renames, so that the target holds either its old or its whole new
// content. Errors: output_exists (Overwrite::no), file_write.
Status write_file(const std::filesystem::path& path, ByteSpan data, Overwrite overwrite);
Status write_file(const std::filesystem::path& path, std::string_view text, Overwrite overwrite);

// Removes what write_file and AtomicFolder have begun and not finished; for a program that must end
// at once. From any thread, not from a signal handler.
void remove_unfinished();

// A folder that appears whole or not at all: files are gathered in a sibling folder, which
// `commit` renames. Without commit the destructor removes it. With Overwrite::yes an existing
// folder's files of the same names are replaced, all of them or, where one cannot be, none; its
// other files stay.
class AtomicFolder {
 public:
  static Result<AtomicFolder> create(const std::filesystem::path& target, Overwrite overwrite);
  AtomicFolder(AtomicFolder&& other) noexcept;
  AtomicFolder& operator=(AtomicFolder&&) = delete;
  ~AtomicFolder();

  // `name` is relative and may contain folders.
  Status write(const std::string& name, ByteSpan data);
  Status write(const std::string& name, std::string_view text);
  Status commit();

 private:
  AtomicFolder(std::filesystem::path target, std::filesystem::path staging, bool replace,
               Overwrite overwrite)
      : target_(std::move(target)),
        staging_(std::move(staging)),
        replace_(replace),
        overwrite_(overwrite) {}
  Status check_places() const;
  Status replace_files();
  std::filesystem::path target_;
  std::filesystem::path staging_;
  std::vector<std::string> names_;
  int made_parents_ = 0;
  bool replace_ = false;
  Overwrite overwrite_ = Overwrite::no;
};

}  // namespace edgetwin

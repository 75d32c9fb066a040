#include "base/file.h"

#include "base/file_parts.h"
#include "base/system/system.h"

namespace edgetwin {
namespace fs = std::filesystem;
using base::Descriptor;
using base::file_error;
namespace system = base::system;
namespace {

Result<Bytes> read_open(const Descriptor& fd, size_t size, const fs::path& path) {
  Bytes data(size);
  size_t done = 0;
  while (done < size) {
    const std::ptrdiff_t n = system::read(fd.get(), data.data() + done, size - done);
    if (n < 0) return file_error(ErrorCode::file_open, path, "cannot read the file");
    if (n == 0) break;
    done += static_cast<size_t>(n);
  }
  data.resize(done);
  return data;
}

Status put_in_place(const fs::path& path, const fs::path& beside, ByteSpan data) {
  EDGETWIN_TRY(base::write_beside(path, beside, data, true));
  if (system::rename(beside, path)) return Ok{};
  Error error = file_error(ErrorCode::file_write, path, "cannot put the file in its place");
  system::remove(beside);
  return error;
}

}  // namespace

void remove_unfinished() { base::Unfinished::all().remove_all(); }

Result<Bytes> read_file(const fs::path& path, uint64_t limit) {
  const Descriptor fd(system::open_to_read(path));
  if (fd.get() < 0) return file_error(ErrorCode::file_open, path, "cannot open the file");
  const auto facts = system::facts_of(fd.get());
  if (!facts) return file_error(ErrorCode::file_open, path, "cannot examine the file");
  if (facts->type != system::FileType::regular) {
    const char* kind = facts->type == system::FileType::folder ? "a folder" : "not a regular file";
    return Error(ErrorCode::file_not_regular, std::string("this is ") + kind)
        .in_file(path.string());
  }
  if (facts->size > limit) {
    return Error(ErrorCode::file_too_large, "the file has " + std::to_string(facts->size) +
                                                " bytes, the limit is " + std::to_string(limit))
        .in_file(path.string());
  }
  return read_open(fd, static_cast<size_t>(facts->size), path);
}

Status check_output(const fs::path& path, Overwrite overwrite) {
  std::error_code ignored;
  const fs::file_status status = fs::status(path, ignored);
  if (fs::exists(status) && !fs::is_regular_file(status)) {
    const char* kind = fs::is_directory(status) ? "folder" : "device";
    return Error(ErrorCode::output_exists, std::string("the output is a ") + kind + ", not a file")
        .in_file(path.string())
        .with_hint("Name a file.");
  }
  if (overwrite == Overwrite::no && fs::exists(fs::symlink_status(path, ignored))) {
    return Error(ErrorCode::output_exists, "the output exists already").in_file(path.string());
  }
  return Ok{};
}

Status write_file(const fs::path& path, ByteSpan data, Overwrite overwrite) {
  EDGETWIN_TRY(check_output(path, overwrite));
  const fs::path beside = base::staging_of(path);
  base::Unfinished::all().add(beside, 0);
  Status status = put_in_place(path, beside, data);
  base::Unfinished::all().drop(beside);
  return status;
}

Status write_file(const fs::path& path, std::string_view text, Overwrite overwrite) {
  return write_file(path, as_byte_span(text), overwrite);
}

}  // namespace edgetwin

// A place on disk that a verb writes to, with what --force says of it.
#pragma once

#include <string>
#include <string_view>

#include "base/file.h"

namespace edgetwin::cli {

struct Output {
  std::string path;  // empty: the option was not given
  Overwrite overwrite = Overwrite::no;

  bool empty() const { return path.empty(); }
  // Asked before the work; nothing to ask where none was given. Error: output_exists.
  Status check() const { return empty() ? Ok{} : check_output(path, overwrite); }
  // Errors: output_exists, file_write.
  Status write(ByteSpan data) const { return write_file(path, data, overwrite); }
  Status write(std::string_view text) const { return write_file(path, text, overwrite); }
  Result<AtomicFolder> folder() const { return AtomicFolder::create(path, overwrite); }
};

}  // namespace edgetwin::cli

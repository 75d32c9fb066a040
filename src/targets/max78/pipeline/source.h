// A file of a network: on disk, read when its turn comes, or bytes that a caller has.
#pragma once

#include <optional>
#include <string>

#include "base/bytes.h"
#include "base/result.h"

namespace edgetwin::max78 {

class Source {
 public:
  Source() = default;  // none
  // An empty path is none.
  static Source file(std::string path);
  // `name` is used in messages.
  static Source bytes(std::string name, Bytes data);

  bool given() const { return !name_.empty(); }
  const std::string& name() const { return name_; }
  // Errors: those of read_file().
  Result<Bytes> read() const;

 private:
  std::string name_;
  std::optional<Bytes> data_;
};

}  // namespace edgetwin::max78

// What the parts of the reader share: the bytes of one FlatBuffer, where it is in the file, and how
// much may be taken.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/bytes.h"
#include "base/log.h"
#include "base/result.h"
#include "formats/darwinn/darwinn.h"

namespace edgetwin::darwinn {

// docs/formats/darwinn.md lists these.
inline constexpr uint32_t kMaxTables = 2'000'000;  // of one FlatBuffer
inline constexpr uint32_t kMaxDepth = 16;          // nesting; the schema itself needs 6

namespace schema {
struct Executable;
}  // namespace schema

// What belongs to the whole file.
struct Reading {
  Reading(std::string file_name, size_t file_size);

  // Accounts for bytes that are about to be copied. A file may refer to the same bytes over and
  // over, so that a small one asks for any amount of memory; a real one stays near its own size.
  bool take(uint64_t bytes);

  std::string file;
  std::vector<Finding> findings;
  uint64_t limit;
  uint64_t left;
};

// One FlatBuffer of the file. Those inside of others are not aligned there, and their numbers are
// read where they stand: each gets its own copy.
class Source {
 public:
  // `data` begins at `base` in the file.
  static Result<Source> copy(Reading& reading, ByteSpan data, uint64_t base,
                             const std::string& what);

  Reading& reading() const { return *reading_; }
  ByteSpan data() const { return data_; }
  Extent place(const void* at, size_t size) const {
    return {base_ + static_cast<uint64_t>(static_cast<const std::byte*>(at) - data_.data()), size};
  }

  // `at` points into the data and becomes the offset in the file.
  Error error(ErrorCode code, std::string message, const void* at, std::string field) const;
  Status charge(uint64_t bytes, const void* at, const std::string& field) const;
  void find(Severity severity, std::string place, std::string message) const;

 private:
  Source(Reading& reading, ByteSpan data, uint64_t base)
      : reading_(&reading), data_(data.begin(), data.end()), base_(base) {}
  Reading* reading_;
  Bytes data_;
  uint64_t base_;
};

// read_package.cc
bool looks_like_package(ByteSpan data);
Result<Package> read_package_at(Reading& reading, ByteSpan data, uint64_t base,
                                const std::string& label);

// read_executable.cc
Result<Executable> read_executable(const Source& source, const std::string& label);

}  // namespace edgetwin::darwinn

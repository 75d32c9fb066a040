// What the parts of the reader share.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "base/bytes.h"
#include "base/finding.h"
#include "base/result.h"
#include "formats/darwinn/darwinn.h"
#include "formats/flatbuffer/source.h"

namespace edgetwin::darwinn {

// docs/formats/darwinn.md lists these.
inline constexpr uint32_t kMaxTables = 2'000'000;  // of one FlatBuffer
inline constexpr uint32_t kMaxDepth = 16;          // nesting; the schema itself needs 6
// A package is copied up to three times, each time to the start of an aligned buffer.
inline constexpr uint64_t kMemoryPerByte = 8;

namespace schema {
struct Executable;
}  // namespace schema

// What belongs to the whole file.
struct Reading {
  Reading(std::string file_name, size_t file_size)
      : file(std::move(file_name)), budget(file_size, kMemoryPerByte) {}

  // One FlatBuffer of the file. Those inside of others may be unaligned there: those are copied.
  Result<flatbuffer::Source> source(ByteSpan data, uint64_t base, const std::string& what) {
    return flatbuffer::Source::aligned(data, base, file, budget, findings, what);
  }

  std::string file;
  flatbuffer::Budget budget;
  std::vector<Finding> findings;
};

using flatbuffer::Source;

inline Extent extent_of(const Source& source, const void* at, size_t size) {
  return {source.place_of(at), size};
}

// read_package.cc
bool looks_like_package(ByteSpan data);
Result<Package> read_package_at(Reading& reading, ByteSpan data, uint64_t base,
                                const std::string& label);

// read_executable.cc
Result<Executable> read_executable(const Source& source, const std::string& label);

}  // namespace edgetwin::darwinn

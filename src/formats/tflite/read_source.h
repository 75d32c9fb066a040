// What the parts of the reader share: the bytes, where an error is, and how much may be taken.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/bytes.h"
#include "base/result.h"

namespace edgetwin::tflite {

// docs/formats/tflite.md lists these.
inline constexpr uint32_t kMaxTables = 2'000'000;  // of the FlatBuffer, each counted at every use
inline constexpr uint32_t kMaxDepth = 16;          // nesting; the schema itself needs 6
inline constexpr size_t kMaxGraphs = 1024;
inline constexpr size_t kMaxTensors = 500'000;  // of all graphs together
inline constexpr size_t kMaxOps = 500'000;      // of all graphs together
inline constexpr size_t kMaxSignatures = 1024;
inline constexpr size_t kMaxMetadata = 4096;

class Source {
 public:
  Source(ByteSpan data, std::string file);

  ByteSpan data() const { return data_; }

  // `at` points into the data and becomes the byte offset; null where there is no single place.
  Error error(ErrorCode code, std::string message, const void* at, std::string field) const;

  // Accounts for bytes that are about to be copied. A file may refer to the same bytes over and
  // over, so that a small one asks for any amount of memory; a real one stays near its own size.
  Status charge(uint64_t bytes, const void* at, std::string_view field);

  // Counts `size` elements against a limit that holds for the whole file.
  Status count(size_t size, size_t* total, size_t limit, const void* at, std::string_view field);

  // Bytes behind the FlatBuffer that a table names by place and length.
  Result<ByteSpan> outside(uint64_t offset, uint64_t size, const void* at, std::string field) const;

  size_t tensors = 0;
  size_t ops = 0;

 private:
  ByteSpan data_;
  std::string file_;
  uint64_t budget_;
};

}  // namespace edgetwin::tflite

// What the parts of the reader share.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/bytes.h"
#include "base/result.h"
#include "formats/flatbuffer/source.h"

namespace edgetwin::tflite {

// docs/formats/tflite.md lists these.
inline constexpr uint32_t kMaxTables = 2'000'000;  // of the FlatBuffer, each counted at every use
inline constexpr uint32_t kMaxDepth = 16;          // nesting; the schema itself needs 6
inline constexpr uint64_t kMemoryPerByte = 4;  // one zero point of 4 bytes per scale may become 8
inline constexpr size_t kMaxGraphs = 1024;
inline constexpr size_t kMaxTensors = 500'000;  // of all graphs together
inline constexpr size_t kMaxOps = 500'000;      // of all graphs together
inline constexpr size_t kMaxSignatures = 1024;
inline constexpr size_t kMaxMetadata = 4096;

// The FlatBuffer that is the whole file, and what limits of the whole file are counted against.
class Source : public flatbuffer::Source {
 public:
  using flatbuffer::Source::Source;

  // Counts `size` elements against a limit that holds for the whole file.
  Status count(size_t size, size_t* total, size_t limit, const void* at,
               std::string_view field) const;

  // Bytes after the FlatBuffer that a table names by place and length.
  Result<ByteSpan> outside(uint64_t offset, uint64_t size, const void* at, std::string field) const;

  size_t tensors = 0;
  size_t ops = 0;
};

}  // namespace edgetwin::tflite

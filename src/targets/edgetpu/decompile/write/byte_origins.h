// Programs that only move bytes: no instruction says which picture is padded, cut or joined. The
// machine tells of each byte of the outputs where it comes from.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "base/bytes.h"
#include "base/result.h"

namespace edgetwin::edgetpu {

struct ByteOrigin {
  int32_t input = -1;  // -1: always the same byte
  int64_t at = 0;      // in that input; else the byte
  bool operator==(const ByteOrigin&) const = default;
};
using ByteOrigins = std::vector<ByteOrigin>;  // by byte of an output

// From the inputs' bytes to the outputs'.
using ByteProgram = std::function<Result<std::vector<Bytes>>(const std::vector<ByteSpan>& inputs)>;

// By output. Runs `program` a few times on inputs whose bytes are digits of their own numbers; what
// computes anything else than copies gives digits that do not fit together. Errors: those of
// `program`; decompile_program, where a byte is no copy.
Result<std::vector<ByteOrigins>> trace_bytes(const ByteProgram& program,
                                             const std::vector<size_t>& input_bytes);

}  // namespace edgetwin::edgetpu

// The parts of the writer.
#pragma once

#include <cstdint>
#include <string>

#include "base/bytes.h"
#include "base/result.h"
#include "graph/graph.h"

namespace flatbuffers {
class FlatBufferBuilder;
}

namespace edgetwin::tflite {

// A table of an options union: its type byte and where it was written; 0 and 0 for none.
struct WrittenOptions {
  uint8_t type = 0;
  uint32_t offset = 0;
};

// write_options.cc: of a kind that op.def has by its builtin name.
Result<WrittenOptions> write_options(flatbuffers::FlatBufferBuilder& builder, const Op& op,
                                     const std::string& label);

// write_custom.cc: the bytes that were read, or, for an operator made here, a FlexBuffer of its
// attributes. Empty for builtin operators.
Bytes custom_options(const Op& op);

}  // namespace edgetwin::tflite

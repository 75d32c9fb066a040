// Where the options of custom operators stand in the file, for formats that live inside of them.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/bytes.h"
#include "base/result.h"

namespace edgetwin::tflite {

struct CustomOp {
  int graph = 0;
  int op = 0;
  std::string code;     // the custom code
  uint64_t offset = 0;  // of the options in the file; of the operator if it has none
  uint64_t size = 0;
};

// The custom operators of a model, in its order. Only what leads to them is read and checked.
// Errors: as of read().
Result<std::vector<CustomOp>> custom_ops(ByteSpan data, const std::string& file);

}  // namespace edgetwin::tflite

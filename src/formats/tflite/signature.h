// Which sizes of tensors a .tflite file leaves open though it names them (Tensor.shape_signature).
#pragma once

#include <vector>

#include "base/bytes.h"
#include "graph/graph.h"

namespace edgetwin::tflite {

struct OpenShape {
  size_t graph = 0;
  ValueId tensor = 0;
  Shape signature;  // -1 where a size is open
};

// Those that differ from the shape of the tensor, in the order of the file. `data` is a file that
// read() has accepted.
std::vector<OpenShape> open_shapes(ByteSpan data);

}  // namespace edgetwin::tflite

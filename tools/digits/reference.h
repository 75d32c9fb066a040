// The integer forward pass that makes the stored reference bytes: the semantics of the TFLite
// reference kernels (double rounding), plain loops, independent of edgetwin's own operators.
#pragma once

#include <cstdint>
#include <vector>

#include "picture.h"
#include "quantize.h"

namespace edgetwin::digits {

// Index 0 is the picture, index i + 1 the output of layer i.
using QuantizedTensors = std::vector<std::vector<std::int8_t>>;

QuantizedTensors run_reference(const QuantizedNet& net, const Picture& picture);

}  // namespace edgetwin::digits

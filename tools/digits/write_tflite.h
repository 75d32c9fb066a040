// Writes the quantized network as a TensorFlow Lite file. Independent of edgetwin's own writer, so
// that what it makes is a test of edgetwin's reader.
#pragma once

#include <cstdint>
#include <vector>

#include "quantize.h"

namespace edgetwin::digits {

std::vector<std::uint8_t> write_tflite(const QuantizedNet& net);

}  // namespace edgetwin::digits

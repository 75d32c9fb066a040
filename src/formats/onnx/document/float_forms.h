// Floating-point elements of other widths than 32 bits.
#pragma once

#include <cstdint>

#include "base/bytes.h"

namespace edgetwin::onnx {

enum class FloatForm : uint8_t { float16, bfloat16, float64 };

// Little endian elements, one after the other, as float32; an incomplete one at the end is dropped.
Bytes floats_of(FloatForm form, const Bytes& stored);

}  // namespace edgetwin::onnx

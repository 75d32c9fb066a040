// Windows and OS/2 bitmaps without compression.
#pragma once

#include <string>

#include "base/bytes.h"
#include "base/result.h"
#include "tensor/tensor.h"

namespace edgetwin {

bool looks_like_bmp(ByteSpan data);

// Errors: image_decode, truncated, out_of_memory.
Result<Tensor> decode_bmp(ByteSpan data, const std::string& file);

}  // namespace edgetwin

// JPEG, by TurboJPEG.
#pragma once

#include <string>

#include "base/bytes.h"
#include "base/result.h"
#include "tensor/tensor.h"

namespace edgetwin {

bool looks_like_jpeg(ByteSpan data);

// Errors: image_decode, out_of_memory.
Result<Tensor> decode_jpeg(ByteSpan data, const std::string& file);

}  // namespace edgetwin

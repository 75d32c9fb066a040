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

// Of uint8, height x width x 1 or 3; quality 1 to 100. Errors: image_decode, out_of_memory.
Result<Bytes> encode_jpeg(const Tensor& picture, int quality);

}  // namespace edgetwin

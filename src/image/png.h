// PNG: the critical chunks by lodepng; everything else in the file is passed over.
#pragma once

#include <string>

#include "base/bytes.h"
#include "base/result.h"
#include "tensor/tensor.h"

namespace edgetwin {

bool looks_like_png(ByteSpan data);

// Errors: image_decode, truncated, out_of_memory.
Result<Tensor> decode_png(ByteSpan data, const std::string& file);

// `picture` has the form and size that encode_png of image.h asks for. The same picture always
// gives the same bytes. Error: out_of_memory.
Result<Bytes> compress_png(const Tensor& picture);

}  // namespace edgetwin

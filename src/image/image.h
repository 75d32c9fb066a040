// Pictures as tensors: PNG, JPEG and BMP in, PNG out. docs/formats/images.md says what is read.
#pragma once

#include <string>

#include "base/bytes.h"
#include "base/result.h"
#include "tensor/tensor.h"

namespace edgetwin {

// Limits that are checked before a picture is decoded.
inline constexpr int kMaxPictureSide = 16384;
inline constexpr int64_t kMaxPicturePixels = int64_t{1} << 26;

// By the first bytes.
bool looks_like_image(ByteSpan data);

// uint8, height x width x channels, top row first. Grey pictures have 1 channel, all others 3
// (RGB). Alpha is dropped, not blended; 16-bit samples keep their upper 8 bits. `file` is used in
// errors only. Errors: image_decode, out_of_memory.
Result<Tensor> decode_image(ByteSpan data, const std::string& file);

// Of a uint8 tensor of height x width x 1, 3 or 4. Error: image_decode.
Result<Bytes> encode_png(const Tensor& picture);

}  // namespace edgetwin

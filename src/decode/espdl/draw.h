// Results of ESP-DL's decoders drawn on the picture.
#pragma once

#include "base/result.h"
#include "decode/espdl/core/result.h"
#include "tensor/tensor.h"

namespace edgetwin::espdl_decode {

// A copy of `picture` (uint8, rows x columns x 1 or 3) in colour with masks, boxes, key points, the
// outlines of texts, classes and what was read. Error: decode_maps for other pictures.
Result<Tensor> draw(const Tensor& picture, const Decoded& decoded);

}  // namespace edgetwin::espdl_decode

// A quadrangle of a picture as an upright rectangle, in PP-OCR's arithmetic on the chip.
#pragma once

#include <array>

#include "base/result.h"
#include "image/espdl/ocr.h"
#include "tensor/tensor.h"

namespace edgetwin::espdl_image {

// `picture` is uint8 of rows x columns x 3, `corners` are ordered. The result has `height` x
// `width` pixels: cubic weights (a = -0.75), cut off to bytes. Every operation is rounded to single
// precision in the runtime's order. Errors: IMG-CHIP-01 for corners without a map,
// out_of_memory.
Result<Tensor> upright_text(const Tensor& picture, const std::array<PointF, 4>& corners, int width,
                            int height);

// Turned by 90 degrees counter-clockwise. Error: out_of_memory.
Result<Tensor> turned_left(const Tensor& picture);

}  // namespace edgetwin::espdl_image

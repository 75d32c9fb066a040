// What a network is meant to see of a picture, for calibration: the runtime's pipeline up to its
// quantization, whose exponent calibration is there to find.
#pragma once

#include "base/result.h"
#include "image/espdl/params.h"
#include "tensor/tensor.h"

namespace edgetwin::espdl_image {

// float32 (rows, columns, channels): (byte - mean) * (1 / std) of the pipeline's bytes, as the
// table of docs/espdl-image.md has it before the scale. Pipelines for texts are quantized to 16
// bits at their finest exponent, since they end in a table. `params` without width, height and
// target get those of an input with these numbers. Errors: those of `preprocess`, IMG-PARAM-01 for
// another size.
Result<Tensor> real_picture(const Tensor& picture, Params params, int64_t rows, int64_t columns,
                            int64_t channels);

}  // namespace edgetwin::espdl_image

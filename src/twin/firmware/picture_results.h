// What the application for the chip must find in a picture, as tensors.
#pragma once

#include <vector>

#include "decode/espdl/core/result.h"
#include "tensor/tensor.h"

namespace edgetwin::twin {

// As FirmwareVision::results has them: only those that are not empty.
std::vector<Tensor> picture_results(const espdl_decode::Decoded& found);

}  // namespace edgetwin::twin

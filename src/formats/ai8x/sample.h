// The sample input of a network.
#pragma once

#include <string>

#include "base/result.h"
#include "tensor/tensor.h"

namespace edgetwin::ai8x {

// A .npy array of whole numbers from -128 to 127 as int8 of the shape (channels, rows, columns);
// (channels, length) and (channels) get sizes of 1 after. The vendor's loader takes int64 only;
// here every integer type is right, and float where all values are whole. Specification
// max7800x-network, 2.2 and 4. Errors: ai8x_sample and those of read_npy.
Result<Tensor> read_sample(ByteSpan npy, const std::string& file);

// The same for an array that is already read.
Result<Tensor> to_sample(const Tensor& array, const std::string& file);

}  // namespace edgetwin::ai8x

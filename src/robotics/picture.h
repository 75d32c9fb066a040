// Pictures as the modules take them: height x width, perhaps x channels, perhaps with a leading 1;
// uint8, or float32, which is limited to 0..255 and cut off.
#pragma once

#include "base/result.h"
#include "tensor/tensor.h"

namespace edgetwin::robotics {

// uint8 of height x width x channels from one that may be resized. Errors: module_input, which
// names both shapes.
Result<Tensor> normalize(const Tensor& picture, bool resize, int height, int width, int channels);

// Means over cells: of whole ratios over blocks, else over the rows from i*h/H to (i+1)*h/H, where
// the last cell ends with the picture; cut off to whole numbers. `picture` is uint8 of rank 3.
// Error: module_input where it is smaller than one pixel.
Result<Tensor> resize_by_area(const Tensor& picture, int height, int width);

// (299 R + 587 G + 114 B + 500) / 1000; one channel stays as it is.
Result<Tensor> to_grey(const Tensor& picture);

Tensor grey_picture(int height, int width, ByteSpan pixels);

}  // namespace edgetwin::robotics

// Pictures as the modules take them: height x width, perhaps x channels, perhaps with a leading 1;
// uint8, or float32, which is limited to 0..255 and cut off.
#pragma once

#include "base/result.h"
#include "tensor/tensor.h"

namespace edgetwin::robotics {

// uint8 of height x width x channels from one that may be resized. Errors: module_input, which
// names both shapes.
Result<Tensor> normalize(const Tensor& picture, bool resize, int height, int width, int channels);

// resize_area of image/resize.h. Error: module_input for an empty picture.
Result<Tensor> resize_by_area(const Tensor& picture, int height, int width);

// By grey_per_mille; one channel stays as it is. Error: module_input.
Result<Tensor> to_grey(const Tensor& picture);

Tensor grey_picture(int height, int width, ByteSpan pixels);

}  // namespace edgetwin::robotics

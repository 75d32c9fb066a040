// A hint for pictures of 16 bits per pixel whose bytes were given in the wrong order.
#pragma once

#include "image/espdl/pixel.h"
#include "tensor/tensor.h"

namespace edgetwin::espdl_image {

// Are neighbours in a row far more alike with the bytes the other way round? False for types that
// are no RGB565 and for pictures that are too small to tell. Only some of the pixels are looked at.
bool bytes_look_swapped(const Tensor& picture, PixelType type);

}  // namespace edgetwin::espdl_image

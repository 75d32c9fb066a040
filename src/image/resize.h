// Pictures of another size, each function in the exact arithmetic of the program that it names.
// Single pixels of another size, as inputs of networks take them, are in image/pixels.h.
#pragma once

#include "base/result.h"
#include "tensor/tensor.h"

namespace edgetwin {

// Bilinear with half-pixel centres, as TensorFlow's ResizeBilinear: coordinate
// (i + 0.5) * scale - 0.5, weights (1-dy)(1-dx), (1-dy)dx, dy(1-dx), dy dx, products and sums each
// rounded to single precision in this order, the sum cut off to a byte. uint8 pictures of
// height x width x channels. Errors: image_decode for other tensors, out_of_memory.
Result<Tensor> resize_half_pixel(const Tensor& picture, int height, int width);

// A window that grows when the picture shrinks, as Pillow's Image.resize: columns first, then rows,
// weights of 22 fractional bits, bytes in between.
enum class Filter : unsigned char { bilinear, lanczos };
Result<Tensor> resize_smooth(const Tensor& picture, int height, int width, Filter filter);

// Means over cells: of whole ratios over blocks, else over the rows from i*h/H to (i+1)*h/H, where
// the last cell ends with the picture; cut off to whole numbers. `picture` is uint8 of rank 3 and
// not empty. Error: out_of_memory.
Result<Tensor> resize_area(const Tensor& picture, int height, int width);

// How programs that feed networks make pictures smaller.
enum class Resize : unsigned char {
  nearest,     // row y is row y * rows / height of the picture, in integers; columns likewise
  half_pixel,  // resize_half_pixel
  lanczos,     // resize_smooth with Filter::lanczos
};
// A picture of the right size stays as it is. Errors: those of the functions above.
Result<Tensor> resized(const Tensor& picture, int height, int width, Resize how);

// RGB as one channel, by grey_pillow. Errors: those of the functions above.
Result<Tensor> grey_of(const Tensor& picture);

}  // namespace edgetwin

// Pictures of another size, in the exact arithmetic of the programs whose inputs are recorded
// beside outputs of chips. (Without a decoder the inputs of `run` are resized by exec/input.h.)
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

// How programs that feed networks make pictures smaller.
enum class Resize : unsigned char {
  nearest,     // row y is row y * rows / height of the picture, in integers; columns likewise
  half_pixel,  // resize_half_pixel
  lanczos,     // resize_smooth with Filter::lanczos
};
// A picture of the right size stays as it is. Errors: those of the functions above.
Result<Tensor> resized(const Tensor& picture, int height, int width, Resize how);

// RGB as one channel, as Pillow's convert("L"): (19595 R + 38470 G + 7471 B + 32768) / 65536.
Result<Tensor> grey_of(const Tensor& picture);

}  // namespace edgetwin

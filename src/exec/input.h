// Turning what a user gives into the bytes of a graph input.
#pragma once

#include <span>
#include <vector>

#include "base/result.h"
#include "graph/graph.h"
#include "image/pixels.h"
#include "numerics/rounding.h"
#include "tensor/tensor.h"

namespace edgetwin::exec {

// An array for an input of the graph: the tensor's own integer type is taken raw; float32 is
// quantized with the tensor's parameters (saturated; powers of two rounded as named, scales half
// away); a missing leading batch dimension of 1 is accepted. Errors: input_shape, input_type,
// input_not_finite.
Result<Tensor> convert_input(const Tensor& given, const Value& input, const Shape& shape,
                             numerics::Rounding rounding = numerics::Rounding::half_away);

// A picture of 8-bit pixels, HxWxC with C 1 or 3, for an NHWC input, seen through a PixelView: by
// nearest neighbour, grey where the input has one channel. uint8 inputs take the pixels; int8
// inputs the pixels minus 128; float inputs the pixels as numbers; inputs of ESP-DL (powers of two,
// 8 or 16 bit) take (pixel - mean) / std, rounded as named. Errors: input_shape, input_type, usage
// for a scale with another number of values than channels.
using edgetwin::PictureScale;
Result<Tensor> picture_input(const Tensor& picture, const Value& input, const Shape& shape,
                             const PictureScale& scale = {},
                             numerics::Rounding rounding = numerics::Rounding::half_away);

// Rows and columns of an input that takes a picture in this way. Error: input_shape.
struct PictureSize {
  int64_t height = 0, width = 0, channels = 0;
};
Result<PictureSize> picture_size(const Value& input, const Shape& shape);

// The same for an input NxCxHxW in float32 with N 1, as ONNX networks have it: (pixel - mean) /
// std, one plane per channel. Errors: as picture_input.
Result<Tensor> planar_picture_input(const Tensor& picture, const Value& input, const Shape& shape,
                                    const PictureScale& scale = {});

// `xs32:SEED`: bytes of the 32-bit xorshift generator fill all inputs one after the other in memory
// order, whatever their type. One tensor per graph input, of the given shapes.
Result<std::vector<Tensor>> generated_inputs(uint32_t seed, const Graph& graph,
                                             std::span<const Shape> shapes);

}  // namespace edgetwin::exec

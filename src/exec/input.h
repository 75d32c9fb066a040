// Turning what a user gives into the bytes of a graph input.
#pragma once

#include <span>
#include <vector>

#include "base/result.h"
#include "graph/graph.h"
#include "tensor/tensor.h"

namespace edgetwin::exec {

// An array for an input of the graph: the tensor's own integer type is taken raw; float32 is
// quantized with the tensor's parameters (round half away, saturate); a missing leading batch
// dimension of 1 is accepted. Errors: input_shape, input_type, input_not_finite.
Result<Tensor> convert_input(const Tensor& given, const Value& input, const Shape& shape);

// A picture of 8-bit pixels, HxWxC with C 1 or 3, for an NHWC input: resized by nearest neighbour
// (source row = y*H_src/H_dst in integers), RGB to grey by (299R+587G+114B+500)/1000 where the
// input has one channel. uint8 inputs take the pixels; int8 inputs the pixels minus 128; float
// inputs the pixels as numbers. Errors: input_shape, input_type.
Result<Tensor> picture_input(const Tensor& picture, const Value& input, const Shape& shape);

// `xs32:SEED`: bytes of the 32-bit xorshift generator fill all inputs one after the other in memory
// order, whatever their type. One tensor per graph input, of the given shapes.
Result<std::vector<Tensor>> generated_inputs(uint32_t seed, const Graph& graph,
                                             std::span<const Shape> shapes);

}  // namespace edgetwin::exec

// The numbers of a network's inputs and outputs: what pictures and seeds become, what integers
// stand for, and where channels are.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "edgetwin/runner.h"
#include "exec/input.h"
#include "image/resize.h"
#include "numerics/rounding.h"

namespace edgetwin::twin {

// A port as the functions of graphs take it.
Value value_of(const Port& port);
// An input of the MAX7800x: (channels, rows, columns) in int8.
bool is_planes(const Port& port);

// How real numbers become inputs under a row of the table of numerics.
numerics::Rounding rounding_of(const std::string& numerics);

// A picture, resized and quantized. Errors: those of exec::picture_input.
Result<Tensor> picture_for(const Port& port, const Tensor& picture, const exec::PictureScale& scale,
                           Resize resize, numerics::Rounding rounding);

// The tensors of `xs32:SEED`; generated floats lie in [-1, 1) where they are to be small.
Result<std::vector<Tensor>> generated_for(std::span<const Port> ports, uint32_t seed,
                                          bool small_floats);

// What the numbers of a tensor stand for, float32; one scale for all elements, or none.
Tensor reals_of(const Tensor& t);

// Where the channels of a tensor are: last; second, after the batch; or first without a batch.
enum class ChannelPlace : uint8_t { last, first, planes };
// Tensors of rank 3 and more, with their channels moved to the last axis; others as they are.
Tensor channels_last(const Tensor& t, ChannelPlace layout);
// Of channels in the last axis: to the second.
Tensor channels_first(const Tensor& t);

}  // namespace edgetwin::twin

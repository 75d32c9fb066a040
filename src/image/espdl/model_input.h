// What the input of a model says about the pictures that go into it.
#pragma once

#include "base/result.h"
#include "image/espdl/params.h"
#include "tensor/quant.h"
#include "tensor/shape.h"

namespace edgetwin::espdl_image {

// Width, height, exponent and target where `params` does not name them, from an input of shape
// (1, rows, columns, 1 or 3), int8 or int16 with one exponent. A target of three channels is r, g,
// b: the file does not tell the order. Error: IMG-PARAM-01 for other inputs.
Status fill_from_input(const Shape& shape, DType type, const Quant& quant, Params& params);

}  // namespace edgetwin::espdl_image

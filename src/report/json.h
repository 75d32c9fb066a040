// Shapes and quantization as JSON.
#pragma once

#include "base/json/json.h"
#include "tensor/quant.h"
#include "tensor/shape.h"

namespace edgetwin::report {

using edgetwin::Json;
using edgetwin::to_json;

Json to_json(const Shape& shape);  // null where a size is unknown becomes -1
// Adds "scale" and "zero_point", or "exponent"; lists with "axis" where per channel; else nothing.
void set_quant(Json& object, const Quant& quant);

}  // namespace edgetwin::report

// Parameters as numbers.
#pragma once

#include <span>

#include "quantize/calibration/exponent.h"
#include "quantize/espdl/plan/plan.h"

namespace edgetwin::quantize {

std::span<const float> floats_of(const Value& value);
IntegerSpec integer_spec(const OperandQuant& quant, const Settings& settings);
// Elements between two channels of a parameter per channel; all of them otherwise.
int64_t inner_elements(const Value& value, int axis);

}  // namespace edgetwin::quantize

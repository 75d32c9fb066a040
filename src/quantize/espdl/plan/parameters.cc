#include "quantize/espdl/plan/parameters.h"

#include <algorithm>

namespace edgetwin::quantize {

std::span<const float> floats_of(const Value& value) {
  return {reinterpret_cast<const float*>(value.constant->data()),
          value.constant->size() / sizeof(float)};
}

IntegerSpec integer_spec(const OperandQuant& quant, const Settings& settings) {
  return {quant.bits, rounding_of(settings.target), settings.high_precision};
}

int64_t inner_elements(const Value& value, int axis) {
  return axis < 0 ? std::max<int64_t>(1, value.shape.elements())
                  : value.shape.elements(axis + 1, value.shape.rank());
}

}  // namespace edgetwin::quantize

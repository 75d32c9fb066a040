// The rounding of ESP-DL's chips as steps of a tape: numbers become multiples of a power of two,
// and tables take the place of functions. Specification: training, 16.
#pragma once

#include <memory>

#include "lut/table.h"
#include "numerics/lut.h"
#include "numerics/rounding.h"
#include "train/tape/step.h"

namespace edgetwin::train {

// scale * clamped round(x / scale); the gradient passes where the rounded number is in range.
struct RoundingSpec {
  std::vector<int> exponents;  // one, or one per channel
  size_t inner = 1;            // elements between two channels
  int bits = 8;
  numerics::Rounding rounding = numerics::Rounding::half_even;
  bool mask = true;  // false: the gradient passes everywhere (biases)
  int trained = -1;  // the operand of the plan whose exponent is trained; -1: it stays
  bool operator==(const RoundingSpec&) const = default;
};
std::unique_ptr<Step> make_rounding(const RoundingSpec& spec);

// The same with exponents that are trained: the second operand holds the logarithm of the scale (or
// one per channel), which is rounded half to even; spec.exponents say how many there are.
std::unique_ptr<Step> make_threshold_rounding(const RoundingSpec& spec);

// A 16-bit table with the runtime's rule; backward by the slope of the ideal function, 0 outside of
// the inputs' range. Errors: those of lut::build.
Result<std::unique_ptr<Step>> make_table(const lut::TableSpec& spec, numerics::LutRule rule);

}  // namespace edgetwin::train

// Text to the steps of a Formula.
#pragma once

#include "lut/formula/formula.h"

namespace edgetwin::lut {

// Text without spaces. Error: lut_spec.
Result<std::vector<Formula::Step>> parse_steps(std::string_view text);

}  // namespace edgetwin::lut

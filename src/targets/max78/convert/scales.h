// The steps of set_scales.
#pragma once

#include "targets/max78/convert/calibration.h"

namespace edgetwin::max78 {

// integers.cc: of weights and biases, when the tensors have their exponents.
void make_integers(Draft& draft, const Calibration& calibration, const ConvertSettings& settings);

}  // namespace edgetwin::max78

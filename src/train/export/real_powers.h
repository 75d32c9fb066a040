// What the method of activation thresholds multiplies by where a network is written in real
// numbers.
#pragma once

#include "train/network/model.h"

namespace edgetwin::train {

// Logarithms to base 2 of factors before and after a layer's limits.
struct RealPowers {
  int before = 0, after = 0;
};

// Of quantized weights the sum has the factor of the weights' scale, of real ones it does not.
RealPowers real_powers(const Model& model, size_t layer);

}  // namespace edgetwin::train

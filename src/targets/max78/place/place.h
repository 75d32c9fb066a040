// Where kernels and biases lie in their memories.
#pragma once

#include "targets/max78/network/plan.h"

namespace edgetwin::max78 {

// Of a plan with its hardware part and without errors. Both add findings where there is no room.
void place_kernels(Plan& plan);
void place_biases(Plan& plan);

}  // namespace edgetwin::max78

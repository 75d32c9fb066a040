// Where kernels and biases lie in their memories.
#pragma once

#include "targets/max78/place/plan.h"

namespace edgetwin::max78 {

// Adds findings where there is no room. What comes after the first layer without room has no place
// then: a plan with errors has no program, only a picture of how full the memories are.
Plan place(const HardwarePlan& hardware, Findings& findings);

// Its parts.
void place_kernels(Plan& plan, Findings& findings);
void place_biases(Plan& plan, Findings& findings);

}  // namespace edgetwin::max78

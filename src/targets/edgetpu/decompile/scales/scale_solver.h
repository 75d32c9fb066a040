// Scales that fulfil all laws of a program to the last bit, where there are such.
#pragma once

#include "targets/edgetpu/decompile/scales/scale_options.h"
#include "targets/edgetpu/decompile/scales/scale_problem.h"

namespace edgetwin::edgetpu {

// A usable scale for every tensor; which laws do not hold with them, holds() says. The same problem
// gives the same scales.
std::vector<float> solve_scales(const ScaleProblem& problem, const ScaleOptions& options = {});

}  // namespace edgetwin::edgetpu

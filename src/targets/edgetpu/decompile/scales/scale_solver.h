// Scales that fulfil all laws of a program to the last bit, where there are such.
#pragma once

#include "targets/edgetpu/decompile/scales/scale_problem.h"

namespace edgetwin::edgetpu {

// `tries`: how many mantissas are tried for tensors that nothing tells; 2^23 are all. The result
// has a usable scale for every tensor; which laws do not hold with them, holds() says. The same
// problem gives the same scales.
std::vector<float> solve_scales(const ScaleProblem& problem, uint32_t tries);

}  // namespace edgetwin::edgetpu

// Sums of shifts by instruction set, each in a file compiled for it: to be called only after the
// processor was asked.
#pragma once

#include "robotics/flow/flow_kernels.h"

namespace edgetwin::robotics {

// `between`: after how many rows a lane of 32 bits could overflow; at least 1.
void avx2_dot_shifts(const Shifts& s, size_t between);
// The length must be a multiple of 2 * kFlowLanes.
void vnni_dot_shifts(const Shifts& s, size_t between);

}  // namespace edgetwin::robotics

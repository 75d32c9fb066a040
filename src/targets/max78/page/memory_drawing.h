// Pictures of the chip's memories: who lies where, and in data memory when.
#pragma once

#include "plot/drawing.h"
#include "targets/max78/plan/make_plan.h"

namespace edgetwin::max78 {

// Steps of execution from left to right, bytes from bottom to top; memories that hold the same
// share a panel. Data that is written over while it is needed has a red frame.
plot::Drawing data_memory_drawing(const Planning& planning);
// Processors from left to right, columns from bottom to top.
plot::Drawing kernel_memory_drawing(const Planning& planning);
// Groups below each other, bytes from left to right.
plot::Drawing bias_memory_drawing(const Planning& planning);
// All that the plan has, one below the other.
plot::Drawing memory_drawing(const Planning& planning);

}  // namespace edgetwin::max78

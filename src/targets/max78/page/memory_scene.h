// Pictures of the chip's memories: who lies where, and in data memory when.
#pragma once

#include "targets/max78/page/scene.h"
#include "targets/max78/plan.h"

namespace edgetwin::max78 {

// Steps of execution from left to right, bytes from bottom to top; memories that hold the same
// share a panel. Data that is written over while it is needed has a red frame.
Scene data_memory_scene(const Plan& plan);
// Processors from left to right, columns from bottom to top.
Scene kernel_memory_scene(const Plan& plan);
// Groups below each other, bytes from left to right.
Scene bias_memory_scene(const Plan& plan);
// All that the plan has, one below the other.
Scene memory_scene(const Plan& plan);

}  // namespace edgetwin::max78

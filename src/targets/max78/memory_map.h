// Who uses which memory, as text for people. Source: specification "memory" 3, 5 and 6.
#pragma once

#include <string>
#include <vector>

#include "targets/max78/plan.h"

namespace edgetwin::max78 {

// A layer's place in the memories. Byte ranges hold for every data memory of the map.
struct LayerPlace {
  int layer = 0;
  uint64_t in_map = 0, out_map = 0;
  int64_t in_begin = 0, in_end = 0;  // bytes, end excluded
  int64_t out_begin = 0, out_end = 0;
  int64_t kernel_begin = 0, kernel_end = 0;  // columns; equal: none
  int kernels_of = -1;                       // the layer whose kernels it uses
  std::vector<std::pair<int, int>> biases;   // group, offset
};

// Layers in the order of execution. Kernels and biases only of a plan that make_plan made.
std::vector<LayerPlace> layer_places(const Plan& plan);

// A table of the places, and how full each kernel and bias memory is.
std::string memory_map(const Plan& plan);

}  // namespace edgetwin::max78

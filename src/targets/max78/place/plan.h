// The last stage: a network with the place of everything in the chip's memories.
// Source: specification "memory" 5 and 6.
#pragma once

#include <array>
#include <vector>

#include "targets/max78/hardware/hardware.h"

namespace edgetwin::max78 {

// A layer with the place of its kernels and biases.
struct LayerPlan : HardwareLayer {
  explicit LayerPlan(const HardwareLayer& layer) : HardwareLayer(layer) {}

  // --- Kernel memory, in columns.
  int start_col = 0;
  int64_t kern_offs = 0, kern_len = 0, kern_count = 0, kern_ochan = 0;
  int kernels_of = -1;  // the layer whose kernels this one uses; -1: its own

  // --- Bias memory: offset by group, -1: none.
  std::array<int, kGroups> bias_offset = {-1, -1, -1, -1};
  int bias_home = -1;  // the group that holds the bias; depthwise: the first
};

struct Plan : HardwarePlan {
  // Kernel memories: per processor and column nine bytes; `used` marks written ones.
  struct KernelMemory {
    std::vector<std::array<uint8_t, kColumnBytes>> columns;
    std::vector<bool> used;
  };
  std::vector<LayerPlan> layers;
  std::vector<KernelMemory> kernels;  // 64
  std::array<std::vector<uint8_t>, kGroups> biases;

  const LayerPlan& layer(int i) const { return layers[static_cast<size_t>(i)]; }
};

}  // namespace edgetwin::max78

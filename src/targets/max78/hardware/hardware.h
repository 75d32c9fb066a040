// What the chip computes instead of what the description says: passes, emulated kernels.
// Source: specification "network" 5, "memory" 2, 7 and 9.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "targets/max78/network/resolved.h"

namespace edgetwin::max78 {

// A layer as the hardware computes it.
struct HardwareLayer : ResolvedLayer {
  explicit HardwareLayer(const ResolvedLayer& layer) : ResolvedLayer(layer) {}

  Operator hw_op = Operator::none;
  Size2 hw_in, hw_pooled;  // sizes
  int64_t hw_out_pixels = 0;
  Size2 hw_kernel, hw_pad;
  std::span<const int8_t> weights;  // (out, in, y, x): the parameters', or those of `emulated`
  std::shared_ptr<const std::vector<int8_t>> emulated;
  int out_pad = 0;                   // pixels that it writes beyond the output
  int64_t out_ignore = 0;            // bytes that it writes before the output
  int in_expand = 1, in_thresh = 1;  // passes over the input, processors of a pass
  int out_expand = 1, out_thresh = 1;
  bool broadcast = false;         // depthwise, output on the input's processors
  bool emulated_eltwise = false;  // MAX78000: an element-wise operation in passes
  bool tcalc = false;
  int tram_max = 1;            // entries of the row memory
  uint64_t hw_processors = 0;  // after the fast FIFO's replication

  int taps() const { return hw_kernel.h * hw_kernel.w; }
};

// The second stage, of a network that could be resolved: never changed after it.
struct HardwarePlan : ResolvedNetwork {
  std::vector<HardwareLayer> hardware_layers;  // of those that do not run the resolved part only
  std::vector<int> groups;                     // used, ascending
  std::vector<int> reset_before;  // per layer: average-pool reset layers up to and including it

  const HardwareLayer& layer(int i) const { return hardware_layers[static_cast<size_t>(i)]; }
  // Number of a layer in the registers.
  int hw_layer(int i) const { return i + reset_before[static_cast<size_t>(i)]; }
  bool has_reset(int i) const {
    return reset_before[static_cast<size_t>(i)] !=
           (i == 0 ? 0 : reset_before[static_cast<size_t>(i) - 1]);
  }
};

// Adds findings where the hardware cannot do what is asked; the plan is whole in any case.
HardwarePlan plan_hardware(const ResolvedNetwork& network, Findings& findings);

}  // namespace edgetwin::max78

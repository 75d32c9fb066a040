// A network made ready for a chip: sizes, channels, passes and what the hardware computes instead
// of what the description says, then the place of everything in its memories.
// Source: specification "network" 2 and 5, "memory" 2, 5 and 6.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "base/result.h"
#include "formats/ai8x/network.h"
#include "targets/max78/chip/limits.h"
#include "targets/max78/chip/processor_map.h"
#include "targets/max78/options/options.h"
#include "targets/max78/rules/rules.h"

namespace edgetwin::max78 {

using ai8x::Operator;
using ai8x::Size2;

struct LayerPlan {
  const ai8x::Layer* yaml = nullptr;
  const ai8x::LayerParameters* parameters = nullptr;
  int index = 0;
  int prev = -1;  // the layer executed before this one; -1: none
  int next = ai8x::kStop;

  // --- As the description says.
  Operator op = Operator::none;
  Size2 in_dim, pooled_dim, out_dim;
  Size2 pool, pool_stride, pool_dilation;
  Size2 kernel, pad, dilation;
  int in_channels = 0;  // of one operand, before flattening
  int out_channels = 0;
  int operands = 1;
  int groups = 1;
  uint64_t processors = 0, out_processors = 0;
  int64_t in_offset = 0, out_offset = 0;
  int output_width = 8;
  int shift = 0;         // the whole shift
  int quantization = 8;  // 1, 2, 4, 8, ai8x::kBinary; 0: no weights (passthrough, bypass)
  ai8x::Activation activation = ai8x::Activation::none;
  bool output = false;
  bool flatten = false;
  bool streaming = false;
  bool bypass = false;

  bool pools() const { return pool.h > 1 || pool.w > 1; }
  bool average() const { return yaml->pooling == ai8x::Pooling::average; }
  bool eltwise() const { return operands > 1; }
  bool passthrough() const { return op == Operator::none; }
  bool depthwise() const { return groups > 1; }
  int bits() const { return quantization < 0 ? 1 : (bypass ? 8 : quantization); }
  bool has_bias() const { return parameters != nullptr && !parameters->bias.empty(); }
  // Also one of zeros, which takes no place.
  bool bias_given() const { return parameters != nullptr && parameters->bias_given; }

  // --- As the hardware computes it.
  Operator hw_op = Operator::none;
  Size2 hw_in, hw_pooled;  // sizes
  int64_t hw_out_pixels = 0;
  Size2 hw_kernel, hw_pad;
  std::vector<int8_t> hw_weights;    // (out, in, y, x), empty where the parameters' own serve
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

  // --- Kernel memory, in columns.
  int start_col = 0;
  int64_t kern_offs = 0, kern_len = 0, kern_count = 0, kern_ochan = 0;
  int kernels_of = -1;  // the layer whose kernels this one uses; -1: its own

  // --- Bias memory: offset by group, -1: none.
  std::array<int, kGroups> bias_offset = {-1, -1, -1, -1};
  int bias_home = -1;  // the group that holds the bias; depthwise: the first

  const int8_t* weights() const {
    return hw_weights.empty() ? parameters->weights.data() : hw_weights.data();
  }
};

// The sample's shape.
struct SampleShape {
  int c = 0, h = 0, w = 0;
};

struct Plan {
  const ai8x::Network* network = nullptr;
  const ai8x::Parameters* parameters = nullptr;
  const Limits* chip = nullptr;
  Options options;
  SampleShape sample;

  std::vector<LayerPlan> layers;  // all up to the highest one that runs
  std::vector<int> order;         // the layers that run, in this order
  int start = 0, last = 0;
  Findings findings;

  std::vector<int> groups;        // used, ascending
  std::vector<int> reset_before;  // per layer: average-pool reset layers up to and including it
  // Kernel memories: per processor and column nine bytes; `used` marks written ones.
  struct KernelMemory {
    std::vector<std::array<uint8_t, kColumnBytes>> columns;
    std::vector<bool> used;
  };
  std::vector<KernelMemory> kernels;  // 64, empty before place_kernels
  std::array<std::vector<uint8_t>, kGroups> biases;

  LayerPlan& layer(int i) { return layers[static_cast<size_t>(i)]; }
  const LayerPlan& layer(int i) const { return layers[static_cast<size_t>(i)]; }
  bool small() const { return chip->device == Device::max78000; }
  // Number of a layer in the registers.
  int hw_layer(int i) const { return i + reset_before[static_cast<size_t>(i)]; }
  bool has_reset(int i) const {
    return reset_before[static_cast<size_t>(i)] !=
           (i == 0 ? 0 : reset_before[static_cast<size_t>(i) - 1]);
  }
  bool streams() const;
};

// Adds a finding. `key` names the line of the description that it comes from.
RuleFinding& add_finding(Plan& plan, Rule rule, int layer, std::string message,
                         std::vector<std::string> details = {},
                         std::optional<ai8x::Key> key = std::nullopt);

}  // namespace edgetwin::max78

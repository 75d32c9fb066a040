// One layer of a network for the MAX78000 and MAX78002 as it is trained: forward and backward in
// floating point and with quantization in the forward pass. Specification: training, 2, 3.
//
// Activations are real numbers; on the grid of 1/128 they are the chip's integers.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "formats/ai8x/network.h"
#include "train/engine/batch_norm.h"
#include "train/engine/convolution.h"
#include "train/engine/pooling.h"
#include "train/layers/shift.h"

namespace edgetwin::train {

inline constexpr float kGrid = 128;
inline constexpr float kLow = -1, kHigh = 127.0F / 128;
inline constexpr float kWideLimit = 32768;
// What follows batch norm, so that data of unit variance fit into the range.
inline constexpr float kNormPart = 0.25F;

// What a layer computes, in running order.
struct LayerSpec {
  // --- Input: operands, pooling.
  ai8x::Eltwise eltwise = ai8x::Eltwise::none;
  bool pool_first = true;  // operands are pooled before they are joined
  ai8x::Pooling pooling = ai8x::Pooling::none;
  PoolWindow pool;
  bool average_rounding = false;  // means are rounded half to even instead of toward zero

  bool flatten = false;  // then, as channels of one place in the order (channels, rows, columns)

  // --- Sum. A linear layer is a convolution of maps of size 1x1.
  ai8x::Operator op = ai8x::Operator::none;
  Window window;
  Pair output_pad{0, 0};  // of a transposed convolution

  // --- Output.
  ai8x::Activation activation = ai8x::Activation::none;
  bool wide = false;  // 32 bits: not scaled

  bool has_weights() const { return op != ai8x::Operator::none; }
  bool transposed() const { return op == ai8x::Operator::conv_transpose2d; }
  int out_channels() const { return transposed() ? window.second : window.first; }
  int in_channels() const { return transposed() ? window.first : window.second; }
  // Size of the output for an input (before pooling) of this size.
  Pair output_of(Pair input) const;
};

// Weights as checkpoints store them; no bias and no normalization where the layer has none.
struct LayerParameters {
  std::vector<float> weights, bias;
  std::optional<BatchNorm> norm;
};

struct LayerGradients {
  std::vector<float> weights, bias;
  BatchNormGradients norm;
};

// How quantization takes part in the forward pass.
struct LayerQuantization {
  int bits = 8;  // of weights and bias: 1, 2, 4 or 8
  float quantile = 1;
  QuantileRule rule = QuantileRule::ordinary;
  std::optional<int> output_shift;  // instead of the rule of shift.h
  // The vendor's newer method: logarithms to base 2 of the activation's threshold and of a factor
  // that the host applies.
  int threshold = 0, final_scale = 0;
};

struct Phase {
  std::optional<LayerQuantization> quantization;  // empty: floating point
  bool training = true;                           // batch norm by the batch
  // Floating point of the newer method: values are not limited to the range of 8 bits, and batch
  // norm is not followed by the division by 4.
  bool unlimited = false;
};

// Of each value the factor of its gradient: 0 where a clamp acted, -1 below zero of an Abs, else 1.
using Mask = std::vector<int8_t, UnsetAllocator<int8_t>>;

// What a forward pass leaves for the backward pass.
struct Tape {
  Phase phase;
  std::vector<Maps> pooled;      // sources after pooling, where they are joined afterwards
  std::vector<Mask> pool_masks;  // of means; one per pooling
  Maps joined;                   // what was pooled after joining
  Mask join_mask;
  Pair unflattened;  // size before flattening
  // The sum reads the only source as it is; else what became of the sources.
  bool reads_source = false;
  Maps input;
  const Maps& sum_input(std::span<const Maps* const> sources) const {
    return reads_source ? *sources[0] : input;
  }
  std::vector<float> weights;  // as the sum sees them
  std::vector<float> bias;
  std::optional<WeightScale> scale;  // of quantized weights
  Maps sum;                          // before batch norm
  BatchNormTape norm;
  Mask mask;  // of the output stage
  // The integers of a wide output that binary32 could round; else empty.
  IntMaps sums;
};

// The output for the sources: one, or the operands. The running values of batch norm change when
// training. Shapes must fit.
Maps forward(const LayerSpec& spec, std::span<const Maps* const> sources,
             LayerParameters& parameters, const Phase& phase, Tape& tape, ThreadPool& pool);

struct Backward {
  std::vector<Maps> sources;  // gradient of each
  LayerGradients gradients;
};

// `gradient` of the output; `sources` and `tape` of the forward pass. `eltwise` must be none, add
// or sub. Without `inputs` the gradients of the sources are not computed: the network's input needs
// none.
Backward backward(const LayerSpec& spec, std::span<const Maps* const> sources,
                  const LayerParameters& parameters, const Tape& tape, Maps gradient, bool inputs,
                  ThreadPool& pool);

}  // namespace edgetwin::train

// What the uncompiled model says about the parameters: one entry per operator with weights, in the
// numbers of the chip.
#pragma once

#include <string>
#include <vector>

#include "graph/graph.h"
#include "targets/edgetpu/params/block.h"

namespace edgetwin::edgetpu {

struct ReferenceLayer {
  size_t op = 0;         // in the graph
  std::string label;     // "#3 CONV_2D 'name'"
  std::string name;      // of the output tensor, as the file has it
  BlockShape shape;      // the header as the compiler's rule has it; order A
  BlockContent content;  // scales are empty here: they need the output's scale
  float input_scale = 1.0F;
  std::vector<float> weight_scales;  // one, or one per output channel
  // Of the operator's own output first, then of what follows it and may be fused.
  std::vector<float> output_scales;
  DType weight_type = DType::uint8;
  Shape weight_shape;  // as in the model
  bool signed_weights() const { return weight_type == DType::int8; }

  // (input scale * weight scale) * (1 / output scale) in single precision, for every channel.
  std::vector<float> effective_scales(float output_scale) const;
  float effective_scale(float output_scale, size_t channel) const;
  // Whether the header must hold scales: more than one, and not all equal.
  bool scales_differ() const;
};

// Operators on bytes with constant weights; others are left out.
std::vector<ReferenceLayer> reference_layers(const Graph& graph);

// Operators that the compiler turns into convolutions whose weights no file has: TRANSPOSE_CONV
// (all of its weights), DEPTHWISE_CONV_2D with several outputs for a channel and CONV_2D of groups
// (with zero points where an output does not read a channel).
std::vector<ReferenceLayer> made_layers(const Graph& graph);

// Weights of the model's order and type as the chip's, and back. Sizes fit the layer.
Bytes to_chip_order(const ReferenceLayer& layer, ByteSpan weights);
Bytes to_model_order(const ReferenceLayer& layer, ByteSpan weights);

// A constant operand of an elementwise operator: stored row by row as unsigned bytes.
struct ReferenceConstant {
  std::string label;
  Bytes bytes;
};
std::vector<ReferenceConstant> reference_constants(const Graph& graph);

// How many values RESHAPE and CONCATENATION operators move as matrices of zeros and ones.
std::vector<int> moved_counts(const Graph& graph);

// Lengths and input scales of SOFTMAX operators.
struct ReferenceSoftmax {
  std::string label;
  int length = 0;
  float input_scale = 1.0F;
};
std::vector<ReferenceSoftmax> reference_softmaxes(const Graph& graph);

}  // namespace edgetwin::edgetpu

// A float network as layers of the MAX78000 and MAX78002, before it has integers: what match.cc
// makes of a graph, and what the steps after it fill in.
#pragma once

#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include "base/error.h"
#include "base/finding.h"
#include "formats/ai8x/network.h"
#include "graph/graph.h"
#include "targets/max78/chip/limits.h"

namespace edgetwin::max78 {

using ai8x::Size2;

// What lies in data memory: the network's input, or the result of a layer.
struct DraftTensor {
  std::string name;
  // The value of the float graph that it stands for. It may hold only every `stride`-th pixel of
  // what the device computes, and values before the rectification that the device has in front of
  // pooling.
  ValueId value = kAbsent;
  bool rectify = false;
  Size2 stride;
  int channels = 0, h = 1, w = 1;
  int producer = -1;  // the layer; -1: the input
  bool output = false;
  int fold = 1;       // of the input: so many rows and columns of the network's are channels
  bool last = false;  // the float value has its channels after the pixels

  // --- arrange: words between two pixels that belong to others, and which of them is this one's.
  int gap = 0, slot = 0;
  // --- place
  uint64_t processors = 0;
  int64_t offset = 0;  // bytes; of the first word of this tensor
  double limit = 0.0;  // a Clip ends here; 0: there is none
  // --- scales: an integer q stands for q / 128 * 2^exponent * stretch. Only the results of layers
  // with weights stretch, so that 127 is the limit of a Clip.
  int exponent = 0;
  double stretch = 1.0;

  // What one step of its integers stands for.
  double step() const { return std::ldexp(stretch, exponent - 7); }
  int passes() const { return (channels + 63) / 64; }
  // Processors that hold it: the channels of one pass.
  int width() const {
    const int each = (channels + passes() - 1) / passes();
    return channels > 64 ? (each + 3) & ~3 : each;
  }
  // Bytes in each data memory without gaps, 8 bits, four channels to a word.
  int64_t bytes() const { return int64_t{4} * h * w * passes(); }
};

struct DraftLayer {
  std::string name;  // of the layer in the description: unique, letters, digits and _
  std::string node;  // label in the user's network
  ai8x::Operator op = ai8x::Operator::none;
  ai8x::Eltwise eltwise = ai8x::Eltwise::none;
  std::vector<int> sources;  // tensors: operands, or parts side by side
  int out = -1;
  ai8x::Pooling pooling = ai8x::Pooling::none;
  Size2 pool, pool_stride;
  Size2 in_dim;  // of the sources as the layer sees them
  Size2 kernel = {1, 1}, pad = {0, 0}, dilation;
  int output_pad = 0;
  int groups = 1;
  bool flatten = false;
  ai8x::Activation activation = ai8x::Activation::none;
  // In the accelerator's order (out, in / groups, y, x).
  std::vector<float> weights, bias;
  bool identity = false;  // copies its channels: weights of 1
  int sum = -1;  // the tensor that its operands make, where a layer of its own was not needed

  // --- scales
  int bits = 8;
  int weight_exponent = 0;
  int shift = 0;  // output_shift, without what narrow weights add
  std::vector<int8_t> integers, bias_integers;
  int64_t clipped = 0;  // weights and biases beyond the range

  bool has_weights() const { return op != ai8x::Operator::none; }
  int taps() const { return kernel.h * kernel.w; }
};

struct Draft {
  ai8x::Device device = ai8x::Device::max78000;
  std::string name;
  std::vector<DraftTensor> tensors;  // the first is the network's input
  std::vector<DraftLayer> layers;    // in running order
  std::vector<int> outputs;          // tensors, in the order of the network's outputs
  bool planes = false;               // the input lies in CHW format
  bool fold_input = false;           // the input may be folded where the first layer has a stride
  std::vector<Error> misfits;        // any of them forbids to go on
  std::vector<Finding> findings;

  DraftTensor& tensor(int i) { return tensors[static_cast<size_t>(i)]; }
  const DraftTensor& tensor(int i) const { return tensors[static_cast<size_t>(i)]; }
  DraftLayer& layer(int i) { return layers[static_cast<size_t>(i)]; }
  const DraftLayer& layer(int i) const { return layers[static_cast<size_t>(i)]; }
  bool small() const { return device == ai8x::Device::max78000; }

  // How many operands read a tensor, each place in `sources` counted.
  int readers(int tensor) const;
  int channels_of(const std::vector<int>& sources) const;
  Error& misfit(const std::string& node, std::string message);
  void note(Severity severity, const std::string& node, std::string message, std::string hint = "");
  // A name for a layer that no other has: letters, digits and _ of `wanted`.
  std::string unique_name(const std::string& wanted) const;
  // A new tensor, the result of `layer`; gives its number.
  int add_result(const DraftLayer& layer, const DraftTensor& like);
};

// Values of a picture as the tensor has them: of a folded one row and column of the fold come
// before the channel.
std::vector<float> as_folded(const DraftTensor& tensor, std::vector<float> values);

// The channels of `sources` copied by a convolution with weights of 1.
DraftLayer identity_layer(const Draft& draft, const std::vector<int>& sources,
                          const std::string& name, const std::string& node);

}  // namespace edgetwin::max78

// A quantized network as a list of layers that can be compared: what only moves or relabels bytes
// is left out, numbers are those that the chip computes with.
#pragma once

#include <string>
#include <vector>

#include "graph/graph.h"

namespace edgetwin::edgetpu {

struct NetworkLayer {
  size_t op = 0;  // in the graph
  std::string label;
  std::string output;             // name of the tensor
  std::vector<std::string> more;  // labels of those that are a part of it
  // "CONV_2D"; a fully connected layer is a convolution of one position, RELU a "QUANTIZE": where
  // real 0 is the least byte their instructions are the same. Neither is anybody's producer.
  std::string kind;
  bool spare = false;  // a decompiled QUANTIZE: the source may have it as a part of something else
  std::vector<std::vector<int>> producers;  // by operand: layers, or -1 - input, as concatenated
  int kernel_h = 1, kernel_w = 1, stride_h = 1, stride_w = 1, dilation_h = 1, dilation_w = 1;
  int pad_top = 0, pad_left = 0;  // rows and columns in front of the picture
  int64_t in_h = 0, in_w = 0;     // 0: read through a PAD, or no picture
  int64_t in_c = 0, out_h = 1, out_w = 1, out_c = 0;
  // Unsigned, [out][h][w][in] or [out][h][w]; of a recurrent layer gate after gate, [out][in] of
  // the step's input, then of the hidden state. Its multipliers are these two's and the scale of
  // their sum, its zero points input, weights, hidden state and weights, of each gate.
  Bytes weights;
  std::vector<int32_t> bias;
  Activation activation = Activation::none;
  std::vector<float> multipliers;
  float lower = 0.0F, upper = 0.0F;  // limits relative to the zero point
  bool limits_known = true;          // false: no instruction has them, the scale makes them
  std::vector<int> zero_points;      // input, weights, output: unsigned domain
  // Of a layer of the source whose QUANTIZE a compiler makes at once: the two that it is where a
  // compiler makes them one after the other. Else empty.
  std::vector<NetworkLayer> apart;
};

// Whose network it is: a compiler makes a layer and the QUANTIZE after it one instruction; where a
// decompiled network has both, the program computes both.
enum class NetworkOrigin : uint8_t { source, decompiled };

struct DescribedNetwork {
  std::vector<NetworkLayer> layers;
  // What else reads layers: outputs of the graph, operators that are no layer and move no bytes.
  std::vector<std::vector<int>> leaving;
};

DescribedNetwork described_network(const Graph& graph, NetworkOrigin origin);

// Operators on 8-bit integers; others are left out.
std::vector<NetworkLayer> network_layers(const Graph& graph,
                                         NetworkOrigin origin = NetworkOrigin::source);

}  // namespace edgetwin::edgetpu

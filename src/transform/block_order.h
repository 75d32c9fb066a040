// DepthToSpace with the block's position first (ONNX mode DCR) as one with the channel first (CRD).
#pragma once

#include <string>
#include <vector>

#include "graph/graph.h"

namespace edgetwin::transform {

struct ReorderedBlock {
  std::string block;  // label of the DepthToSpace
  std::string layer;  // label of the convolution whose filters moved; empty: a Gather was inserted
};

// Of a graph in Layout::nchw with float32 weights; what it computes stays, bit for bit. The
// channels are put in order by the convolution before (through operators that treat every element
// alike), or by a Gather. Operators with as many output channels as the block is wide stay: both
// orders of the ESP-DL runtime are right there.
std::vector<ReorderedBlock> channel_first_blocks(Graph& graph);

}  // namespace edgetwin::transform

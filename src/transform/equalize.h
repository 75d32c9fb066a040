// Layer-wise equalization of a float network.
#pragma once

#include "graph/graph.h"

namespace edgetwin::transform {

// Scales channels between two layers with weights so that their ranges agree, `rounds` times. Of a
// graph in Layout::nchw with float32 weights; what it computes stays, up to roundings. Gives the
// number of pairs of layers. Source: Nagel et al., arXiv 1906.04721, section 4.1.
size_t equalize(Graph& graph, int rounds);

}  // namespace edgetwin::transform

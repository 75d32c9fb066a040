// What layers read whose description has no in_sequences, where the layer before them cannot be it.
// docs/max78-planner.md, "Connections".
#pragma once

#include <string>
#include <vector>

#include "targets/max78/network/resolved.h"

namespace edgetwin::max78 {

struct LayerReads {
  int layer = 0;
  std::vector<int> sources;
  // What it could read as well, as far as channels and sizes tell. Empty: nothing else goes.
  std::vector<std::vector<int>> others;
};

// Empty: the layers go together as the description has them, or no connections were found.
std::vector<LayerReads> find_connections(const ai8x::Network& network,
                                         const ai8x::Parameters& parameters,
                                         const SampleShape& sample, const Options& options);

// "[conv2, 5]", as in_sequences of a description.
std::string sources_text(const ai8x::Network& network, const std::vector<int>& sources);

}  // namespace edgetwin::max78

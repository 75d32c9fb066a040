// Parameters for a network that has none yet: an architecture is judged, computed and compiled
// before it is trained.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "formats/ai8x/network.h"
#include "targets/max78/network/resolved.h"

namespace edgetwin::max78 {

struct StandIn {
  ai8x::Parameters parameters;
  // What the description does not say and was taken for it, a sentence each without its end.
  std::vector<std::string> assumed;
};

// Weights as the description has them: pseudo-random numbers of `seed` within `quantization` (8
// bits where it is not written), biases if `biases`, and where output_shift is not written one that
// keeps results of 8 bits in range. Output channels are out_channels, else in_channels of the layer
// that reads them, else as many as the output has processors. The parameters are incomplete where
// `findings` got an error: sizes that do not fit each other. `seed` is not 0.
StandIn stand_in_parameters(const ai8x::Network& network, const SampleShape& sample,
                            const Options& options, uint32_t seed, bool biases, Findings& findings);

// The channels that the first layer reads, where they are not written: its processors.
int first_channels(const ai8x::Network& network, int start_layer);

}  // namespace edgetwin::max78

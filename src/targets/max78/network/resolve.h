// From a description with its parameters to sizes, channels and the order of the layers.
#pragma once

#include <optional>

#include "targets/max78/network/resolved.h"

namespace edgetwin::max78 {

// The input's shape as far as description and parameters tell it: in_dim of the first layer, and
// the channels of its weights.
std::optional<SampleShape> stated_shape(const ai8x::Network& network,
                                        const ai8x::Parameters& parameters, int start_layer);

// Sizes and channels only: what the simulation needs. The network and the parameters outlive it.
// Nothing where a finding of severity error was added; the first ones end it early, so that fewer
// findings may follow. `findings` has no errors before.
std::optional<ResolvedNetwork> resolve(const ai8x::Network& network,
                                       const ai8x::Parameters& parameters,
                                       const SampleShape& sample, const Options& options,
                                       Findings& findings);

}  // namespace edgetwin::max78

// From a description with its parameters to sizes, channels and the order of the layers.
#pragma once

#include <optional>

#include "targets/max78/network/plan.h"

namespace edgetwin::max78 {

// The input's shape as far as description and parameters tell it: in_dim of the first layer, and
// the channels of its weights.
std::optional<SampleShape> stated_shape(const ai8x::Network& network,
                                        const ai8x::Parameters& parameters, int start_layer);

// Sizes and channels only: what the simulation needs. The network and the parameters outlive the
// plan. Findings of severity error end it early, so that fewer findings may follow.
Plan resolve(const ai8x::Network& network, const ai8x::Parameters& parameters,
             const SampleShape& sample, const Options& options);

}  // namespace edgetwin::max78

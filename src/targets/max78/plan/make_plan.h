// A network made ready for a chip, from the description to the place of everything in memory.
#pragma once

#include "targets/max78/network/plan.h"

namespace edgetwin::max78 {

// resolve, then every check, kernels and biases in their places. `findings` has all of it; a plan
// with errors has no program.
Plan make_plan(const ai8x::Network& network, const ai8x::Parameters& parameters,
               const SampleShape& sample, const Options& options);

}  // namespace edgetwin::max78

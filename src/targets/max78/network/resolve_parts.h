// Parts of resolve().
#pragma once

#include "targets/max78/network/plan.h"

namespace edgetwin::max78 {

// Sizes of all layers that run, in their order; stops at the first that cannot be computed.
void resolve_sizes(Plan& plan);

// Whether weights, biases, groups and shifts are such that the layer can be computed at all.
void check_contents(Plan& plan, const LayerPlan& layer);

}  // namespace edgetwin::max78

// Parts of resolve().
#pragma once

#include "targets/max78/network/resolved.h"

namespace edgetwin::max78 {

// Sizes of all layers that run, in their order; stops at the first that cannot be computed.
void resolve_sizes(ResolvedNetwork& plan, Findings& findings);

// Whether weights, biases, groups and shifts are such that the layer can be computed at all.
void check_contents(Findings& findings, const ResolvedNetwork& plan, const ResolvedLayer& layer);

}  // namespace edgetwin::max78

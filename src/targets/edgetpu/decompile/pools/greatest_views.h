// The picture that the first pairs of a MAX_POOL_2D read.
#pragma once

#include <vector>

#include "targets/edgetpu/decompile/operands/layer_search.h"
#include "targets/edgetpu/decompile/places/read_view.h"

namespace edgetwin::edgetpu {

// `pool`: its instructions are those of the last sum. Empty: it is not known where its words were
// made, or tiles compute it in parts.
std::vector<ReadView> greatest_views(const LayerSearch& search, const DecompiledLayer& pool,
                                     const std::vector<const DecompiledLayer*>& differences,
                                     MadePlaces& places);

}  // namespace edgetwin::edgetpu

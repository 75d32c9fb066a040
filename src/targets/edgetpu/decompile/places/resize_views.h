// The picture that a resize enlarges, told by what each tile reads of it.
#pragma once

#include "targets/edgetpu/decompile/places/read_view.h"

namespace edgetwin::edgetpu {

// All views that the positions of the layer's tiles allow. Rows and columns over the edge are those
// at the edge.
std::vector<ReadView> resize_views(const LayerSearch& search, const DecompiledLayer& layer,
                                   const LayerReads& reads);

}  // namespace edgetwin::edgetpu

// The picture that an average pool reads: its words go to wide memory first, four positions of each
// word side by side.
#pragma once

#include <vector>

#include "targets/edgetpu/decompile/places/read_view.h"

namespace edgetwin::edgetpu {

// All views that its instructions allow: one window over all whose channels the tiles share, or
// windows of which each tile has some, with all strides that the walks do not rule out. Empty: it
// sums in another way, or it is not known where words were made.
std::vector<ReadView> pool_views(const LayerSearch& search, const DecompiledLayer& layer,
                                 MadePlaces& places);

// The same with rows and columns exchanged.
ReadView turned(const ReadView& view);

}  // namespace edgetwin::edgetpu

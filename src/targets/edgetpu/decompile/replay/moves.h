// Moves of the mesh as the replay meets them: they wait until an instruction needs their words, as
// those of one direction belong together.
#pragma once

#include "targets/edgetpu/decompile/replay/state.h"

namespace edgetwin::edgetpu {

// All of a direction between two tensor instructions at once, directions as they begin.
Status flush_moves(ReplayState& state);

}  // namespace edgetwin::edgetpu

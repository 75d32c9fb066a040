// What a tensor instruction writes: its words get it as their owner, and copies keep where their
// words came from.
#pragma once

#include "targets/edgetpu/decompile/replay/state.h"

namespace edgetwin::edgetpu {

// By an instruction of the last stage.
void write_output(ReplayState& state, const Nest& nest);

}  // namespace edgetwin::edgetpu

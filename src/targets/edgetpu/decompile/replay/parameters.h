// Loads of parameters as the replay meets them: each goes to the stage that it belongs to.
#pragma once

#include "targets/edgetpu/decompile/replay/state.h"

namespace edgetwin::edgetpu {

// From wide memory, where parameters wait on the chip.
void load_resident(ReplayState& state, const CopyPattern& c);
// With the input.
void load_streamed(ReplayState& state, const ProgramInstruction& s);

}  // namespace edgetwin::edgetpu

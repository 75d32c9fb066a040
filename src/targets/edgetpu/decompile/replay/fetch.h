// Words that leave narrow memory: for wide memory, and from there for the host.
#pragma once

#include "targets/edgetpu/decompile/replay/state.h"

namespace edgetwin::edgetpu {

Status replay_fetch(ReplayState& state, const CopyPattern& c);
// An outfeed.
void replay_send(ReplayState& state);

}  // namespace edgetwin::edgetpu

// Words that come into narrow memory: from wide memory, from another tile or from outside.
#pragma once

#include "targets/edgetpu/decompile/replay/state.h"

namespace edgetwin::edgetpu {

Status replay_store(ReplayState& state, const CopyPattern& c);

}  // namespace edgetwin::edgetpu

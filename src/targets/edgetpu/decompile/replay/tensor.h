// Tensor instructions as the replay meets them: which stage one belongs to, whose results it reads
// and what it writes.
#pragma once

#include "targets/edgetpu/decompile/replay/state.h"

namespace edgetwin::edgetpu {

Status replay_tensor(ReplayState& state, const Nest& nest);

}  // namespace edgetwin::edgetpu

// Which operator a tensor instruction belongs to, by its own fields alone.
#pragma once

#include "targets/edgetpu/decompile/replay.h"

namespace edgetwin::edgetpu {

StageKind classify(const Nest& nest);

}  // namespace edgetwin::edgetpu

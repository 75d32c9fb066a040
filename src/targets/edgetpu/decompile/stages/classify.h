// Which operator a tensor instruction belongs to, by its own fields alone.
#pragma once

#include "targets/edgetpu/decompile/stages/stage.h"

namespace edgetwin::edgetpu {

StageKind classify(const Nest& nest);

// Weights without a zero point and no change of numbers: a matrix that only moves.
bool is_selection(const Nest& nest);

}  // namespace edgetwin::edgetpu

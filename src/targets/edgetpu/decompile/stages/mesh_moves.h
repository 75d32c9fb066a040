// The moves of one direction of the mesh between two tensor instructions, with owners instead of
// values. Every tile is a queue: what is sent and what is received match word by word, not
// instruction by instruction.
#pragma once

#include <vector>

#include "targets/edgetpu/decompile/stages/narrow_memory.h"

namespace edgetwin::edgetpu {

// All of one opcode, in program order; their addresses lie in memory. Words that nobody sent become
// kUnknown.
void run_mesh(Narrow& narrow, const std::vector<const CopyPattern*>& moves);

}  // namespace edgetwin::edgetpu

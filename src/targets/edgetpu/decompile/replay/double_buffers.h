// Buffers that take turns: a store that fills two buffers in turn feeds a tensor instruction that
// empties them in turn; which of the two comes first in the program says nothing.
#pragma once

#include <vector>

#include "targets/edgetpu/program/program.h"

namespace edgetwin::edgetpu {

struct ReplayState;

// A store that fills two buffers in turn.
struct Feeder {
  size_t step = 0;
  uint32_t tiles = 0;
  int64_t begin = 0, end = 0;  // bytes of narrow memory
};
std::vector<Feeder> find_feeders(const DecodedProgram& steps);

// What the buffers hold for a tensor instruction: the words that it finds there may be older.
void fill_buffers(ReplayState& state, const Nest& nest);

}  // namespace edgetwin::edgetpu

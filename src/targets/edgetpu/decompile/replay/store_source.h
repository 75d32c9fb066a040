// Where the words of a store come from, as far as the instructions after it tell: from another
// tile over the ring, from the program's own parameters, or from the host.
#pragma once

#include <cstdint>
#include <optional>

#include "targets/edgetpu/decompile/stages/narrow_memory.h"
#include "targets/edgetpu/program/program.h"

namespace edgetwin::edgetpu {

struct ReplayState;

// The copy engine of a broadcast after a store: ring.receive, ring.send, n2w in this order. The
// step of the latter.
std::optional<size_t> broadcast_fetch(const DecodedProgram& steps, size_t store);

// The copy engine before a store whose lines were kept on both sides: n2w, ring.receive, ring.send,
// and the store itself in this order.
std::optional<size_t> kept_fetch(const DecodedProgram& steps, size_t store);

// Of a store whose words come from no tile.
struct OutsideWords {
  Owner owner = kInput;
  uint32_t place = 0;  // of streamed parameters
};
OutsideWords outside_words(ReplayState& state, size_t store);

}  // namespace edgetwin::edgetpu

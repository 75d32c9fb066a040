// The loop of the scalar core over tensor instructions. The replay goes through its first pass;
// what all passes together leave is told from that.
#pragma once

#include <optional>

#include "targets/edgetpu/program/program.h"

namespace edgetwin::edgetpu {

struct ReplayState;

// Its first and last step.
struct LoopSteps {
  size_t first = 0, last = 0;
  bool contains(size_t step) const { return step >= first && step <= last; }
};
// Nothing: the program has none, or several.
std::optional<LoopSteps> find_loop(const DecodedProgram& steps);

// The number that a register holds throughout, as only one instruction before the loop sets it.
std::optional<uint32_t> kept_register(const DecodedProgram& steps, const LoopSteps& loop,
                                      unsigned index);
// Gives fetches of the loop their tiles where a register names the same ones in each pass.
void name_tiles(DecodedProgram& steps, const LoopSteps& loop);

// A store that copies a tile's own words towards its lowest ones: rows move up by one in each pass.
void remember_moved_rows(ReplayState& state, const CopyPattern& from, const CopyPattern& to);
// After its last pass: rows that move up, with a new last one in each pass, are the results of all.
void leave_loop(ReplayState& state);
// A gate's function in a tile: nodes of the words that it writes, of which this is the first.
int32_t begin_gate_words(ReplayState& state, const Nest& nest, size_t tile);

}  // namespace edgetwin::edgetpu
